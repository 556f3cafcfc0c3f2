import { isJsonObject } from '@llm-gateway/protocol'
import { ScoringError } from './scoring-error.ts'
import { stringsOf } from './strings-of.ts'

/**
 * Which texts of a body are scored. `specified`: the specification's messages[1], else the last user message;
 * `all_user`: those of every message that isn't an answer of the model; `all`: every text of the body.
 */
export type TextChoice = 'specified' | 'all_user' | 'all'

/**
 * The texts of a request body to score; none where it has no text at all. What isn't a chat (`prompt`, `input`, a bare
 * string) or has no text where it should be is scored as a whole: unseen text must not pass for clean text.
 */
export function bodyTexts(body: unknown, choice: TextChoice): readonly string[] {
  const messages = choice === 'all' ? undefined : messagesOf(body)
  const texts = messages === undefined ? [] : chosenTexts(messages, choice)
  return texts.length > 0 ? texts : stringsOf(body)
}

/** The same, bounded: throws a ScoringError where the texts have more characters (UTF-16 units). */
export function textsToScore(body: unknown, choice: TextChoice, maxCharacters: number): readonly string[] {
  const texts = bodyTexts(body, choice)
  if (texts.reduce((sum, text) => sum + text.length, 0) > maxCharacters) throw new ScoringError('TOO_MUCH_TEXT')
  return texts
}

function messagesOf(body: unknown): readonly unknown[] | undefined {
  const messages = isJsonObject(body) && Object.hasOwn(body, 'messages') ? body.messages : undefined
  return Array.isArray(messages) ? messages : undefined
}

function chosenTexts(messages: readonly unknown[], choice: TextChoice): readonly string[] {
  if (choice === 'all_user')
    return messages.filter((message) => !isFrom(message, ['assistant', 'model'])).flatMap(contentOf)
  const second = contentOf(messages[1])
  if (second.length > 0) return second
  return contentOf(messages.findLast((message) => isFrom(message, ['user']) && contentOf(message).length > 0))
}

function isFrom(message: unknown, roles: readonly string[]): boolean {
  const role = isJsonObject(message) ? message.role : undefined
  return typeof role === 'string' && roles.includes(role.trim().toLowerCase())
}

function contentOf(message: unknown): readonly string[] {
  return isJsonObject(message) && Object.hasOwn(message, 'content') ? stringsOf(message.content) : []
}
