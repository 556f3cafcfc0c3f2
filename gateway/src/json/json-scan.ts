import { isUtf8 } from 'node:buffer'
import type { Slice } from '../work/work-queue.ts'
import { ChunkScan, type JsonScan, type MachineAccess } from './chunk-scan.ts'
import { compactJson, copyNow } from './compact-json.ts'
import {
  createJsonMachine,
  isComplete,
  type JsonMachine,
  MAX_DEPTH,
  resetWords,
  type ScanStart,
  WINDOW_BYTES,
  WORD,
} from './json-machine-memory.ts'
import { copyEntries, type JsonMember, type MemberList, NO_MEMBERS, readEntries } from './json-members.ts'
import { jsonString } from './json-string.ts'
import { BINARY, ScannedJson, type ScanResult, TEXT, TOO_DEEP } from './scan-result.ts'

/**
 * Checks JSON texts without parsing them: a body is only forwarded and recorded unchanged, and JSON.parse would take
 * longer than all other work on a large body, or seconds for a hostile one. Nesting is limited to 100,000 levels,
 * whatever the given limit.
 */
export type JsonEngine = {
  /**
   * Begins the scan of a text in chunks. With `names` only members with these names are kept, so that they are found
   * also after the 256th member.
   */
  begin(depthLimit: number, names?: ReadonlySet<string>): JsonScan
  /** Scans a whole text; its members are found in a second scan when they are read. */
  scan(bytes: Uint8Array, depthLimit: number): ScanResult
  /**
   * Copies a JSON text without white space outside strings, which a scan counted as `spaces`; returns no promise up to
   * 64 KiB.
   */
  compact(bytes: Buffer, spaces: number, slice: Slice): Promise<Buffer> | Buffer
  /** The same for a text whose length the caller bounds: 1 MiB takes 2 ms. */
  compactNow(bytes: Buffer, spaces: number): Buffer
  /**
   * Encodes UTF-8 as a JSON string with quotes, like JSON.stringify. Returns undefined where the result exceeds
   * `maxBytes`, before anything is allocated. Returns no promise up to 64 KiB.
   */
  string(bytes: Buffer, maxBytes: number, slice: Slice): Promise<Buffer | undefined> | Buffer | undefined
}

export function createJsonEngine(): JsonEngine {
  const engine = new Engine(createJsonMachine())
  return {
    begin: (depthLimit, names) => new ChunkScan(engine, depthLimit, names),
    scan: (bytes, depthLimit) => (isUtf8(bytes) ? engine.scan(bytes, depthLimit) : BINARY),
    compact: (bytes, spaces, slice) => compactJson(engine.machine, { bytes, spaces }, slice),
    compactNow: (bytes, spaces) => copyNow(engine.machine, { bytes, spaces }),
    string: (bytes, maxBytes, slice) => jsonString(engine.machine, { bytes, maxBytes }, slice),
  }
}

/** The machine, and the scan whose state is in its memory. */
class Engine implements MachineAccess {
  readonly machine: JsonMachine
  #loaded: ChunkScan | undefined

  constructor(machine: JsonMachine) {
    this.machine = machine
  }

  scan(bytes: Uint8Array, depthLimit: number): ScanResult {
    const kind = this.#run(bytes, { depthLimit, membersDepth: -1 })
    if (kind === 'json') return new ScannedJson(this.machine.words, this, bytes)
    return kind === 'text' ? TEXT : TOO_DEEP
  }

  /** Makes room in the machine for `scan`; returns true where the state of `scan` is already there. */
  load(scan: ChunkScan | undefined): boolean {
    if (this.#loaded === scan) return true
    this.#loaded?.save()
    this.#loaded = scan
    return false
  }

  /** Forgets the state in the machine. */
  release(): void {
    this.#loaded = undefined
  }

  /** Finds the members of a text that was scanned before; returns none where its bytes were freed meanwhile. */
  find(bytes: Uint8Array): MemberList {
    if (this.#run(bytes, { depthLimit: MAX_DEPTH, membersDepth: 1 }) !== 'json') return NO_MEMBERS
    const known = new Map<string, JsonMember>()
    readEntries(copyEntries(this.machine), known)
    return { members: [...known.values()], cut: this.machine.words[WORD.membersCut] === 1 }
  }

  #run(bytes: Uint8Array, start: ScanStart): 'json' | 'text' | 'too deep' {
    this.load(undefined)
    const { machine } = this
    resetWords(machine.words, start)
    for (let at = 0; at < bytes.length; at += WINDOW_BYTES) {
      const window = bytes.length <= WINDOW_BYTES ? bytes : bytes.subarray(at, at + WINDOW_BYTES)
      machine.load(window)
      machine.words[WORD.base] = at
      machine.run(0, window.length)
      if (machine.words[WORD.state] === 0) return machine.words[WORD.tooDeep] === 1 ? 'too deep' : 'text'
    }
    return isComplete(machine.words) ? 'json' : 'text'
  }
}
