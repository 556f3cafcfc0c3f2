/** A member of a JSON object: its name and the place of its value's text. */
export type Member = {
  readonly name: string
  readonly start: number
  readonly end: number
  /** The members of its value, where they were asked for and the value is an object. */
  readonly members?: readonly Member[] | undefined
}

/** Chooses the members whose own members are wanted, and of these the same; undefined: the value is skipped. */
export type MemberChoice = (name: string) => MemberChoice | undefined

/** `room` is shared by all objects: a hostile record repeats a name, and each of its objects would have room of its own. */
type Search = { readonly choose: MemberChoice; readonly room: { left: number } }

type FoundObject = { readonly members: readonly Member[]; readonly end: number }

const [QUOTE, BACKSLASH, COMMA, COLON, OPENING_BRACE, CLOSING_BRACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x7b, 0x7d]
const [OPENING_BRACKET, CLOSING_BRACKET, SPACE] = [0x5b, 0x5d, 0x20]
/** No record has more members; the limit bounds the memory for a hostile record. */
const MOST_MEMBERS = 10_000
/** The most members of all objects of a search: a record, its two sides and their payloads have no more. */
const MOST_IN_ALL = 5 * MOST_MEMBERS
/** A search by the system for a quote costs more than a look at this many bytes. */
const NEAR_BYTES = 32
/** Bytes that tell the end of a value within brackets; a table, since a hostile text is made of short values. */
const ENDING = Uint8Array.from({ length: 256 }, (_, byte) => Number('"{}[]'.includes(String.fromCharCode(byte))))
const NONE: MemberChoice = () => undefined

/**
 * Finds the members of the JSON object that begins at `start`, after white space, and of the chosen objects in it.
 * Values are skipped and never parsed, so the cost depends on their length alone and not on their depth. Undefined when
 * there is no object.
 */
export function jsonMembers(
  bytes: Uint8Array,
  start: number,
  choose: MemberChoice = NONE,
): readonly Member[] | undefined {
  return objectAt(bytes, start, { choose, room: { left: MOST_IN_ALL } })?.members
}

function objectAt(bytes: Uint8Array, start: number, { choose, room }: Search): FoundObject | undefined {
  const members: Member[] = []
  let at = afterSpace(bytes, start)
  if (bytes[at] !== OPENING_BRACE) return undefined
  at = afterSpace(bytes, at + 1)
  if (bytes[at] === CLOSING_BRACE) return { members, end: at + 1 }
  while (members.length < MOST_MEMBERS && room.left > 0) {
    const nameEnd = bytes[at] === QUOTE ? endOfString(bytes, at) : undefined
    const name = nameEnd === undefined ? undefined : nameIn(bytes, at, nameEnd)
    const colon = afterSpace(bytes, nameEnd ?? bytes.length)
    if (name === undefined || bytes[colon] !== COLON) return undefined
    const value = afterSpace(bytes, colon + 1)
    const inside = choose(name)
    const found = inside && objectAt(bytes, value, { choose: inside, room })
    const end = found?.end ?? endOfValue(bytes, value)
    if (end === undefined) return undefined
    room.left -= 1
    members.push({ name, start: value, end, ...(found === undefined ? {} : { members: found.members }) })
    at = afterSpace(bytes, end)
    if (bytes[at] === CLOSING_BRACE) return { members, end: at + 1 }
    if (bytes[at] !== COMMA) return undefined
    at = afterSpace(bytes, at + 1)
  }
  return undefined
}

function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start
  while ((bytes[at] ?? 0xff) <= SPACE) at += 1
  return at
}

/**
 * Returns the index after the closing quote of the string that begins at `start`; undefined if it doesn't end. Each search
 * by the system follows a look at the next bytes: a megabyte of escaped quotes would need half a million searches.
 */
export function endOfString(bytes: Uint8Array, start: number): number | undefined {
  for (let from = start + 1; from < bytes.length; ) {
    const near = Math.min(bytes.length, from + NEAR_BYTES)
    for (; from < near; from += 1) {
      if (bytes[from] === QUOTE) return from + 1
      if (bytes[from] === BACKSLASH) from += 1
    }
    const quote = bytes.indexOf(QUOTE, from)
    if (quote < 0) return undefined
    let escapes = 0
    while (quote - escapes > from && bytes[quote - 1 - escapes] === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return quote + 1
    from = quote + 1
  }
  return undefined
}

function endOfValue(bytes: Uint8Array, start: number): number | undefined {
  const first = bytes[start]
  if (first === QUOTE) return endOfString(bytes, start)
  if (first === OPENING_BRACE || first === OPENING_BRACKET) return endOfBrackets(bytes, start)
  // A number or a word ends before a comma, a bracket or white space.
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === COMMA || byte <= SPACE || byte === CLOSING_BRACE || byte === CLOSING_BRACKET)
      return at > start ? at : undefined
  }
  return undefined
}

function endOfBrackets(bytes: Uint8Array, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (ENDING[byte] === 0) continue
    if (byte === QUOTE) {
      const end = endOfString(bytes, at)
      if (end === undefined) return undefined
      at = end - 1
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1
    else {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return undefined
}

function nameIn(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    return String(JSON.parse(new TextDecoder().decode(bytes.subarray(start, end))))
  } catch {
    return undefined // a string with a malformed escape
  }
}
