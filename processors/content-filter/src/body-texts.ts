import { isJsonObject, type RequestTurn, requestTurns } from '@llm-gateway/protocol'
import { ScoringError } from './scores.ts'

/**
 * The choice of texts to score (docs/reference/processors.md#content-filter). `specified`: messages[1], else the last
 * user message, in any dialect; `all_user`: every turn but the model's; `all`: every text of the body.
 */
export type TextChoice = 'specified' | 'all_user' | 'all'

/**
 * Returns the texts of a request body to score; none when it has no text at all. A body of an unknown form, or without
 * text in the chosen places, is scored as a whole: unseen text must not pass for clean text.
 */
export function bodyTexts(body: unknown, choice: TextChoice): readonly string[] {
  const texts = choice === 'all' ? [] : chosenTexts(requestTurns(body), choice)
  return texts.length > 0 ? texts : stringsOf(body)
}

/** Returns the texts to score; throws a ScoringError when they have more characters (UTF-16 units) than allowed. */
export function textsToScore(body: unknown, choice: TextChoice, maxCharacters: number): readonly string[] {
  const texts = bodyTexts(body, choice)
  if (texts.reduce((sum, text) => sum + text.length, 0) > maxCharacters) throw new ScoringError('TOO_MUCH_TEXT')
  return texts
}

function chosenTexts(turns: readonly RequestTurn[], choice: 'specified' | 'all_user'): readonly string[] {
  if (choice === 'all_user') return turns.filter(({ role }) => role !== 'model').flatMap(textsOf)
  // The newest text of each conversation is scored, so that a second conversation can't hide the first.
  return [...Map.groupBy(turns, ({ conversation }) => conversation)].flatMap(([name, own]) => newestTexts(name, own))
}

function newestTexts(conversation: string, turns: readonly RequestTurn[]): readonly string[] {
  const second = conversation === 'messages' ? textsOf(turns[1]) : []
  if (second.length > 0) return second
  return textsOf(turns.findLast((turn) => turn.role === 'user' && textsOf(turn).length > 0))
}

/**
 * Returns all strings of a turn. A model may read strings in unknown members, so skipping them would leave a way around
 * the filter.
 */
function textsOf(turn: RequestTurn | undefined): readonly string[] {
  return turn === undefined ? [] : stringsOf(turn.content)
}

/** Names of members with metadata, which a model doesn't read as text. */
const ABOUT: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'media_type',
])
/** Names of members with pictures, sound and files. */
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

/** Returns every text in a JSON value in order, without attachments, at any depth. */
function stringsOf(root: unknown): readonly string[] {
  const found: string[] = []
  // An explicit stack instead of recursion, since the sender chooses the depth.
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
  // Only a string is metadata: an object in `type` may hold anything.
  if (ABOUT.has(key)) return typeof member !== 'string'
  if (BINARY.has(key)) return false
  return !(key === 'data' && owner.type === 'base64')
}
