import type { Overview } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import { Notice } from '../../ui/notice.tsx'

export function Problems({ problems }: { readonly problems: Overview['problems'] | undefined }) {
  if (problems === undefined) return <Notice tone="accent" title={texts.overview.looking} />
  if (problems.length === 0) return <Notice tone="good" title={texts.overview.well} />
  return (
    <div className="stack tight">
      {problems.map(({ severity, message, todo }) => (
        <Notice key={message} tone={severity === 'error' ? 'bad' : 'warn'} title={message}>
          {todo}
        </Notice>
      ))}
    </div>
  )
}
