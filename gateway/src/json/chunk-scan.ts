import {
  isComplete,
  type JsonMachine,
  MEMBERS,
  resetWords,
  STACK,
  WINDOW_BYTES,
  WORD,
  WORDS_OF_SCAN,
} from './json-machine-memory.ts'
import { copyEntries, entriesIn, type JsonMember, type MemberList, readEntries } from './json-members.ts'
import { BINARY, ScannedJson, type ScanResult, TEXT, TOO_DEEP } from './scan-result.ts'
import { Utf8Check } from './utf8-check.ts'

/** The scan of a text whose chunks are checked as they arrive. */
export type JsonScan = {
  add(chunk: Uint8Array): void
  /** Returns the result; called once after the last `add`. */
  end(): ScanResult
}

/** The machine, and the scan whose state is in its memory. */
export type MachineAccess = {
  readonly machine: JsonMachine
  /** Makes room for `scan`; returns true where the state of `scan` is already there. */
  load(scan: ChunkScan): boolean
  /** Forgets the state in the machine. */
  release(): void
}

const NO_BYTES = Buffer.alloc(0)
/** The bytes after the complete entries, in which the machine writes the next entry. */
const NAME_ROOM = 268

/**
 * The scan of a text in chunks. Between chunks its state stays in the machine, and is saved here once another text is
 * scanned.
 */
export class ChunkScan implements JsonScan {
  readonly #access: MachineAccess
  readonly #utf8 = new Utf8Check()
  readonly #names: ReadonlySet<string> | undefined
  readonly #known = new Map<string, JsonMember>()
  #length = 0
  /** Set once the grammar has failed. */
  #failed: ScanResult | undefined
  #words: Int32Array
  #stack = NO_BYTES
  #entries = NO_BYTES
  #cut = false

  constructor(access: MachineAccess, depthLimit: number, names: ReadonlySet<string> | undefined) {
    this.#access = access
    this.#names = names
    this.#words = new Int32Array(WORDS_OF_SCAN)
    resetWords(this.#words, { depthLimit, membersDepth: 1 })
    if (names !== undefined) this.#words[WORD.stopsWhenFull] = 1
  }

  add(chunk: Uint8Array): void {
    this.#utf8.add(chunk)
    if (this.#failed === undefined && !this.#utf8.failed) this.#run(chunk)
  }

  end(): ScanResult {
    if (!this.#utf8.valid) return BINARY
    if (this.#failed !== undefined) return this.#failed
    this.#restore()
    this.#access.release()
    const { machine } = this.#access
    if (!isComplete(machine.words)) return TEXT
    this.#cut = machine.words[WORD.membersCut] === 1
    return new ScannedJson(machine.words, this, copyEntries(machine))
  }

  /** Returns the members with wanted names; `entries` are those that the machine held at the end. */
  find(entries: Buffer): MemberList {
    readEntries(entries, this.#known, this.#names)
    return { members: [...this.#known.values()], cut: this.#cut }
  }

  /**
   * Copies the state out of the machine, which another text needs. Of complete members only those with wanted names stay:
   * the others would take up to 67 KB, which nobody counts.
   */
  save(): void {
    const { machine } = this.#access
    const { bytes, words } = machine
    const begun = MEMBERS + (words[WORD.membersBytes] ?? 0)
    const entriesStart = this.#names === undefined ? MEMBERS : begun
    if (this.#names !== undefined) this.#makeRoom(machine)
    this.#words.set(words.subarray(0, WORDS_OF_SCAN))
    this.#stack = Buffer.from(bytes.subarray(STACK, STACK + (words[WORD.depth] ?? 0)))
    this.#entries = Buffer.from(bytes.subarray(entriesStart, begun + NAME_ROOM))
  }

  #restore(): void {
    if (this.#access.load(this)) return
    const { bytes, words } = this.#access.machine
    words.set(this.#words)
    bytes.set(this.#stack, STACK)
    bytes.set(this.#entries, MEMBERS)
  }

  #run(chunk: Uint8Array): void {
    this.#restore()
    const { machine } = this.#access
    for (let at = 0; at < chunk.length; at += WINDOW_BYTES) {
      const window = chunk.length <= WINDOW_BYTES ? chunk : chunk.subarray(at, at + WINDOW_BYTES)
      machine.load(window)
      machine.words[WORD.base] = this.#length
      for (let from = 0; from < window.length; ) {
        from = machine.run(from, window.length)
        if (machine.words[WORD.state] === 0) {
          this.#fail(machine.words)
          return
        }
        if (from < window.length) this.#makeRoom(machine)
      }
      this.#length += window.length
    }
  }

  #fail(words: Int32Array): void {
    this.#failed = words[WORD.tooDeep] === 1 ? TOO_DEEP : TEXT
    this.#known.clear()
    this.#access.release()
    this.#stack = NO_BYTES
    this.#entries = NO_BYTES
  }

  /**
   * Makes room for members when the machine has stopped at a comma, or when its state is saved; members without a wanted
   * name are dropped.
   */
  #makeRoom(machine: JsonMachine): void {
    readEntries(entriesIn(machine), this.#known, this.#names)
    machine.words[WORD.members] = 0
    machine.words[WORD.membersBytes] = 0
  }
}
