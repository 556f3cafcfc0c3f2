import { texts } from '../texts.ts'
import type { ChatMessage } from './chat-messages.ts'

/** Shows messages in order, with the person's messages on the right. Text is never rendered as markup. */
export function ChatView({ messages }: { readonly messages: readonly ChatMessage[] }) {
  return (
    <div className="chat">
      {messages.map(({ role, text, parts }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a record's messages never move
        <div key={index} className={`message ${roleClass(role)}`}>
          <span className="role">{role}</span>
          {text === '' && parts.length === 0 ? <span className="soft">{texts.record.noText}</span> : null}
          {text === '' ? null : <div className="text">{text}</div>}
          {parts.map(({ kind, json }) => (
            <details key={json}>
              <summary>{kind}</summary>
              <pre className="payload">{json}</pre>
            </details>
          ))}
        </div>
      ))}
    </div>
  )
}

function roleClass(role: string): string {
  if (role === 'user') return 'user'
  return role === 'system' || role === 'developer' ? 'system' : 'assistant'
}
