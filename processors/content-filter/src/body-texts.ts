import { type RequestTurn, requestTurns } from '@llm-gateway/protocol'
import { ScoringError } from './scoring-error.ts'
import { stringsOf } from './strings-of.ts'

/**
 * The texts of a body that are scored. `specified`: messages[1], else the last user message, in any dialect
 * (docs/reference/processors.md#content-filter). `all_user`: every turn but the model's. `all`: every text of the body.
 */
export type TextChoice = 'specified' | 'all_user' | 'all'

/**
 * The texts of a request body to score; none where it has no text at all. A body of no known form, or without text where it
 * should be, is scored as a whole: unseen text must not pass for clean text.
 */
export function bodyTexts(body: unknown, choice: TextChoice): readonly string[] {
  const texts = choice === 'all' ? [] : chosenTexts(requestTurns(body), choice)
  return texts.length > 0 ? texts : stringsOf(body)
}

/** The same, bounded: throws a ScoringError where the texts have more characters (UTF-16 units). */
export function textsToScore(body: unknown, choice: TextChoice, maxCharacters: number): readonly string[] {
  const texts = bodyTexts(body, choice)
  if (texts.reduce((sum, text) => sum + text.length, 0) > maxCharacters) throw new ScoringError('TOO_MUCH_TEXT')
  return texts
}

function chosenTexts(turns: readonly RequestTurn[], choice: 'specified' | 'all_user'): readonly string[] {
  if (choice === 'all_user') return turns.filter(({ role }) => role !== 'model').flatMap(textsOf)
  // One conversation beside another must not hide it: each has its newest text scored.
  return [...Map.groupBy(turns, ({ conversation }) => conversation)].flatMap(([name, own]) => newestTexts(name, own))
}

function newestTexts(conversation: string, turns: readonly RequestTurn[]): readonly string[] {
  const second = conversation === 'messages' ? textsOf(turns[1]) : []
  if (second.length > 0) return second
  return textsOf(turns.findLast((turn) => turn.role === 'user' && textsOf(turn).length > 0))
}

/** All strings and not only those that a model is known to read: a guard that skips one is walked around. */
function textsOf(turn: RequestTurn | undefined): readonly string[] {
  return turn === undefined ? [] : stringsOf(turn.content)
}
