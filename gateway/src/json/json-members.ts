import { type JsonMachine, MEMBERS, WORD } from './json-machine-memory.ts'

/** A member of the outermost object: its name, and the position of its value without surrounding white space. */
export type JsonMember = { readonly name: string; readonly start: number; readonly end: number }

/** `cut` is true where there were more members than are kept, or one with too long a name. */
export type MemberList = { readonly members: readonly JsonMember[]; readonly cut: boolean }

export const NO_MEMBERS: MemberList = { members: [], cut: false }

/** The bytes of an entry before the name: start, end, length of the name. */
const FRAME_BYTES = 12

/** Returns the members in the machine's memory. */
export function entriesIn({ bytes, words }: JsonMachine): Buffer {
  return bytes.subarray(MEMBERS, MEMBERS + (words[WORD.membersBytes] ?? 0))
}

/** Copies the members out of the machine's memory. */
export function copyEntries(machine: JsonMachine): Buffer {
  return Buffer.from(entriesIn(machine))
}

/** Adds the members in `entries` to `known`; of equal names the last counts. */
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
