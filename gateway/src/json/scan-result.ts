import { WORD } from './json-machine-memory.ts'
import type { JsonMember, MemberList } from './json-members.ts'

/** The kind of some bytes: one JSON text in UTF-8 (RFC 8259) as JSON.parse accepts it, other UTF-8, or other bytes. */
export type TextKind = 'json' | 'text' | 'binary'

export type ScanResult = {
  readonly kind: TextKind
  /** True where the nesting exceeds the limit; `kind` is `text` then, whatever follows. */
  readonly tooDeep: boolean
  /**
   * The bytes of white space outside strings; this and the following fields are 0 or empty where the text isn't JSON.
   */
  readonly spaces: number
  /** The number of values in the text, containers and the outermost value included. */
  readonly values: number
  /** The members of the outermost object, at most 256; found when they are first read. */
  readonly members: readonly JsonMember[]
  /** True where there were more members, or one with a name of more than 256 bytes. */
  readonly membersCut: boolean
}

const NOTHING = { tooDeep: false, spaces: 0, values: 0, members: [], membersCut: false } as const
export const BINARY: ScanResult = { kind: 'binary', ...NOTHING }
export const TEXT: ScanResult = { kind: 'text', ...NOTHING }
export const TOO_DEEP: ScanResult = { ...TEXT, tooDeep: true }

/** Finds the members when they are first read. */
export type MemberFinder<Bytes> = { find(bytes: Bytes): MemberList }

export class ScannedJson<Bytes> implements ScanResult {
  readonly kind = 'json'
  readonly tooDeep = false
  readonly spaces: number
  readonly values: number
  readonly #finder: MemberFinder<Bytes>
  readonly #bytes: Bytes
  #memberList: MemberList | undefined = undefined

  constructor(words: Int32Array, finder: MemberFinder<Bytes>, bytes: Bytes) {
    this.spaces = words[WORD.spaces] ?? 0
    this.values = words[WORD.values] ?? 0
    this.#finder = finder
    this.#bytes = bytes
  }

  get members(): readonly JsonMember[] {
    return this.#allMembers.members
  }

  get membersCut(): boolean {
    return this.#allMembers.cut
  }

  get #allMembers(): MemberList {
    this.#memberList ??= this.#finder.find(this.#bytes)
    return this.#memberList
  }
}
