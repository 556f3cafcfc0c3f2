import { WORD } from './json-machine-memory.ts'
import type { FoundMembers, JsonMember } from './json-members.ts'

/** The kind of some bytes: one JSON text in UTF-8 (RFC 8259), as JSON.parse judges it; other UTF-8; anything else. */
export type TextKind = 'json' | 'text' | 'binary'

export type Scanned = {
  readonly kind: TextKind
  /** Nested deeper than the limit; `kind` is `text` then, whatever came behind. */
  readonly tooDeep: boolean
  /** Bytes of white space outside strings; 0 where it is no JSON, as all that follows. */
  readonly spaces: number
  /** All values in the text, containers and the text's own included. */
  readonly values: number
  /** The members of the text's own object, 256 at most; nothing is read before somebody asks. */
  readonly members: readonly JsonMember[]
  /** There were more, or one whose name has more than 256 bytes. */
  readonly membersCut: boolean
}

const NOTHING = { tooDeep: false, spaces: 0, values: 0, members: [], membersCut: false } as const
export const BINARY: Scanned = { kind: 'binary', ...NOTHING }
export const TEXT: Scanned = { kind: 'text', ...NOTHING }
export const TOO_DEEP: Scanned = { ...TEXT, tooDeep: true }

/** Looks for the members once somebody asks. */
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
