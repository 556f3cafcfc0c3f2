import type { Turns } from './turns.ts'

/** A shorter part of a JSON is parsed in one step, in a millisecond. */
const PART_CHARACTERS = 64 * 1024
/** A value takes far more memory than its two characters tell. Unset: no limit. */
export type JsonLimits = { readonly mostLevels?: number; readonly mostValues?: number }

/** The text has more levels or values than its reader takes. */
export class JsonTooLarge extends SyntaxError {}

type Steps<T> = Generator<undefined, T, undefined>

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** A list or object whose end wasn't reached yet. */
type Container = {
  readonly from: number
  readonly isList: boolean
  /** The places of its commas and, in an object, of its colons. */
  readonly marks: number[]
  /** Its long lists and objects, which are parsed already, by their place. */
  readonly long: Map<number, LongValue>
}
type LongValue = { readonly value: unknown; readonly to: number }

/**
 * JSON.parse in steps of some milliseconds: long lists and objects are put together of their parsed members. Throws
 * SyntaxError, which is JsonTooLarge for a text
 * beyond its limits.
 */
export function* parseInSteps(text: string, limits: JsonLimits = {}): Steps<unknown> {
  const { mostLevels = Number.POSITIVE_INFINITY, mostValues = Number.POSITIVE_INFINITY } = limits
  if (text.length <= PART_CHARACTERS) return JSON.parse(text)
  const open: Container[] = [{ from: -1, isList: true, marks: [], long: new Map() }]
  let values = 0
  let isText = false
  let stepAt = PART_CHARACTERS
  for (let at = 0; at < text.length; at += 1) {
    if (at >= stepAt) {
      stepAt = at + PART_CHARACTERS
      yield
    }
    const code = text.charCodeAt(at)
    if (isText && code === BACKSLASH) at += 1
    else if (code === QUOTE) isText = !isText
    if (isText) continue
    if (code === COMMA || code === COLON) {
      open.at(-1)?.marks.push(at)
      values += 1
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      open.push({ from: at, isList: code === OPEN_LIST, marks: [], long: new Map() })
      values += 1
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      const ended = open.pop()
      const around = open.at(-1)
      if (ended === undefined || around === undefined) throw new SyntaxError('a bracket closes nothing')
      if (at - ended.from > PART_CHARACTERS || ended.long.size > 0)
        around.long.set(ended.from, { value: yield* membersOf(text, ended, at), to: at + 1 })
    }
    if (values > mostValues || open.length > mostLevels) throw new JsonTooLarge('beyond the limits')
  }
  const [whole] = open
  if (isText || whole === undefined || open.length > 1 || whole.marks.length > 0) throw new SyntaxError('not one value')
  return valueIn(text, { from: 0, to: text.length }, whole)
}

function* membersOf(text: string, container: Container, end: number): Steps<unknown> {
  const { from, isList, marks } = container
  if ((text.charCodeAt(end) === CLOSE_LIST) !== isList) throw new SyntaxError('a bracket closes another one')
  const members: [name: unknown, value: unknown][] = []
  let stepAt = from + PART_CHARACTERS
  let begin = from + 1
  let name: unknown
  if (marks.length === 0 && text.slice(begin, end).trim() === '') return isList ? [] : {}
  for (const mark of [...marks, end]) {
    const value = valueIn(text, { from: begin, to: mark }, container)
    begin = mark + 1
    if (mark >= stepAt) {
      stepAt = mark + PART_CHARACTERS
      yield
    }
    const isName = text.charCodeAt(mark) === COLON
    if (isName ? isList || name !== undefined || typeof value !== 'string' : !isList && name === undefined)
      throw new SyntaxError('a member of an object has one name')
    if (!isName) members.push([name, value])
    name = isName ? value : undefined
  }
  return isList
    ? members.map(([, value]) => value)
    : Object.fromEntries(members.map(([name, value]) => [String(name), value]))
}

/** Parses the one value of a part. */
function valueIn(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  { long }: Pick<Container, 'long'>,
): unknown {
  if (long.size === 0) return JSON.parse(text.slice(from, to))
  let at = from
  while (at < to && isSpace(text.charCodeAt(at))) at += 1
  const known = long.get(at)
  if (known === undefined) return JSON.parse(text.slice(from, to))
  if (text.slice(known.to, to).trim() !== '') throw new SyntaxError('two values without a comma')
  return known.value
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** A turn of the event loop for a long text ends after this time. */
const TURN_MS = 10

/** JSON.parse in many turns of the event loop. Rejects with SyntaxError. */
export async function parseInTurns(text: string, turns: Turns): Promise<unknown> {
  if (text.length <= PART_CHARACTERS) return JSON.parse(text)
  const steps = parseInSteps(text)
  for (;;) {
    const step = await turns(() => stepsOfTurn(steps))
    if (step.done === true) return step.value
  }
}

function stepsOfTurn(steps: Steps<unknown>): IteratorResult<undefined, unknown> {
  const began = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true || performance.now() - began >= TURN_MS) return step
  }
}
