import { WORD } from './json-machine-memory.ts'
import type { FoundMembers, JsonMember } from './json-members.ts'

/** The kind of some bytes: one JSON text in UTF-8 (RFC 8259) as JSON.parse accepts it, other UTF-8, or other bytes. */
export type TextKind = 'json' | 'text' | 'binary'

export type Scanned = {
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
export const BINARY: Scanned = { kind: 'binary', ...NOTHING }
export const TEXT: Scanned = { kind: 'text', ...NOTHING }
export const TOO_DEEP: Scanned = { ...TEXT, tooDeep: true }

/** Finds the members when they are first read. */
export type Finder<Bytes> = { find(bytes: Bytes): FoundMembers }

export class JsonText<Bytes> implements Scanned {
  readonly kind = 'json'
  readonly tooDeep = false
  readonly spaces: number
  readonly values: number
  readonly #finder: Finder<Bytes>
  readonly #bytes: Bytes
  #found: FoundMembers | undefined = undefined

  constructor(words: Int32Array, finder: Finder<Bytes>, bytes: Bytes) {
    this.spaces = words[WORD.spaces] ?? 0
    this.values = words[WORD.values] ?? 0
    this.#finder = finder
    this.#bytes = bytes
  }

  get members(): readonly JsonMember[] {
    return this.#all.members
  }

  get membersCut(): boolean {
    return this.#all.cut
  }

  get #all(): FoundMembers {
    this.#found ??= this.#finder.find(this.#bytes)
    return this.#found
  }
}
