import { isJsonObject, type RequestTurn, requestTurns } from '@llm-gateway/protocol'
import { ScoringError } from './scores.ts'

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

/** Names of what a message says about itself; what stands there is not shown to a model as text. */
const ABOUT: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'media_type',
])
/** Names under which the dialects keep pictures, sound and files. */
const BINARY: ReadonlySet<string> = new Set([
  'image_url',
  'input_audio',
  'file_data',
  'inline_data',
  'inlineData',
  'b64_json',
  'encrypted_content',
  'bytes',
  'images',
])

/** Every text inside a JSON value in its order, attachments excepted; goes as deep as the value does. */
function stringsOf(root: unknown): readonly string[] {
  const found: string[] = []
  // A stack of our own: how deep a body nests is its sender's choice, and recursion would end where he wants it to.
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') {
      if (value.trim() !== '') found.push(value)
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1) open.push(value[index])
    } else if (isJsonObject(value)) {
      const members = Object.entries(value).filter(([key, member]) => isText(key, member, value))
      for (const [, member] of members.reverse()) open.push(member)
    }
  }
  return found
}

function isText(key: string, member: unknown, owner: Readonly<Record<string, unknown>>): boolean {
  // Only where it is what it says: an object under `type` may hold anything.
  if (ABOUT.has(key)) return typeof member !== 'string'
  if (BINARY.has(key)) return false
  return !(key === 'data' && owner.type === 'base64')
}
