import { membersOf, parseJson, textOf, valueAt } from '../../json-value.ts'
import { answerMessages } from '../../record/chat-messages.ts'

/** Returns the text of an LLM's answer, complete or still arriving; undefined if it is not a chat. */
export function answerText(text: string): string | undefined {
  const whole = parseJson(text)
  if ('value' in whole) {
    const texts = answerMessages(whole.value).map((message) => message.text)
    return texts.length === 0 ? undefined : texts.join('\n\n')
  }
  const lines = text.split('\n').filter((line) => line.startsWith('data:'))
  if (lines.length === 0) return undefined
  const texts = lines.map((line) => deltaOf(line.slice('data:'.length)))
  return texts.every((part) => part === undefined) ? undefined : texts.join('')
}

/** Reads the text of a chunk of OpenAI or Anthropic, or of an OpenAI response event. */
function deltaOf(text: string): string | undefined {
  const parsed = parseJson(text)
  if ('problem' in parsed) return undefined
  const { delta } = membersOf(parsed.value)
  return (
    textOf(valueAt(parsed.value, ['choices', 0, 'delta', 'content'])) ?? textOf(delta) ?? textOf(membersOf(delta).text)
  )
}
