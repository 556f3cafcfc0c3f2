import { type JsonMachine, MEMBERS, WORD } from './json-machine-memory.ts'

/** A member of the text's own object: its name, and where the bytes of its value stand, without white space around them. */
export type JsonMember = { readonly name: string; readonly start: number; readonly end: number }

/** `cut`: there were more members than are kept, or one whose name is too long. */
export type FoundMembers = { readonly members: readonly JsonMember[]; readonly cut: boolean }

export const NO_MEMBERS: FoundMembers = { members: [], cut: false }

/** Bytes of an entry before the name: start, end, length of the name. */
const FRAME_BYTES = 12

/** The members that stand in the machine's memory, as bytes that stay when the machine goes on. */
export function copyEntries({ bytes, words }: JsonMachine): Buffer {
  return Buffer.from(bytes.subarray(MEMBERS, MEMBERS + (words[WORD.membersBytes] ?? 0)))
}

/** Adds the members in `entries` to those that are known; a name that comes twice counts as its last. */
export function readEntries(entries: Buffer, known: Map<string, JsonMember>, names?: ReadonlySet<string>): void {
  for (let at = 0; at < entries.length; ) {
    const start = entries.readUInt32LE(at)
    const end = entries.readUInt32LE(at + 4)
    const length = entries.readUInt32LE(at + 8)
    const name = nameOf(entries, at + FRAME_BYTES, length)
    if (names === undefined || names.has(name)) known.set(name, { name, start, end })
    at += (FRAME_BYTES + length + 3) & ~3
  }
}

function nameOf(entries: Buffer, start: number, length: number): string {
  const name = entries.toString('utf8', start, start + length)
  return name.includes('\\') ? String(JSON.parse(`"${name}"`)) : name
}
