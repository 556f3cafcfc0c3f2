import { FIRST_STATE, LAST_STATES, transitions } from './json-grammar.ts'
import { JSON_MACHINE } from './json-machine.ts'

/** The most bytes that the machine takes at once. */
export const WINDOW_BYTES = 65_536

/** Addresses in the machine's memory, the same as in json-machine.wat. */
const WORDS = 8_192
const ESCAPES = 9_216
const WINDOW = 16_384
export const OUTPUT = 81_920
export const STACK = 163_840
export const MEMBERS = 264_192

/** The deepest nesting that the stack has room for. */
export const MAX_DEPTH = 100_000

/** The words of a scan, by their index in `words`. */
export const WORD = {
  state: 0,
  depth: 1,
  name: 2,
  spaces: 3,
  values: 4,
  /** The position of the window's first byte in the text. */
  base: 5,
  depthLimit: 6,
  /** The depth at which members are kept: 1, or -1 for none. */
  membersDepth: 7,
  valueStart: 8,
  valueEnd: 9,
  tooDeep: 10,
  members: 11,
  membersBytes: 12,
  nameLength: 13,
  /** 1 where the machine stops instead of dropping members that find no room. */
  stopsWhenFull: 14,
  membersCut: 15,
} as const
export const WORDS_OF_SCAN = 16

/** The value below the stack, which the machine reads where no container is open. */
const NO_CONTAINER = 2
/** The index of the word in which `compact` leaves its state. */
const COMPACT_STATE = 16

/** The start of a scan; for `membersDepth` see the word. */
export type ScanStart = { readonly depthLimit: number; readonly membersDepth: 1 | -1 }

type Exports = {
  readonly memory: WebAssembly.Memory
  /** Scans the window; returns the position at which the scan stopped. */
  readonly run: (from: number, end: number) => number
  /** Writes the window's first bytes without white space outside strings; returns their number. */
  readonly compact: (length: number, state: number) => number
  /** Returns the bytes that escapes add to the window's first bytes in a JSON string. */
  readonly added: (length: number) => number
  /** Writes the window's first bytes, at most a sixth of a window, as in a JSON string; returns their number. */
  readonly encode: (length: number) => number
}

/** The single WebAssembly machine with views of its memory; a user must not keep state in it across an `await`. */
export type JsonMachine = Omit<Exports, 'memory'> & {
  readonly bytes: Buffer
  readonly words: Int32Array
  /** Copies bytes into the window. */
  load(bytes: Uint8Array): void
  /** Returns the state in which the last `compact` ended. */
  compactState(): number
}

export function createJsonMachine(): JsonMachine {
  const { memory, ...steps } = machineExports(
    new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(JSON_MACHINE, 'base64'))),
  )
  const bytes = Buffer.from(memory.buffer)
  const words = new Int32Array(memory.buffer, WORDS, COMPACT_STATE + 1)
  bytes.set(transitions())
  bytes.set(escapes(), ESCAPES)
  bytes[STACK - 1] = NO_CONTAINER
  return {
    ...steps,
    bytes,
    words,
    load: (window) => bytes.set(window, WINDOW),
    compactState: () => words[COMPACT_STATE] ?? 0,
  }
}

/** Sets the words for a text's first byte. */
export function resetWords(
  words: Int32Array,
  { depthLimit, membersDepth }: { readonly depthLimit: number; readonly membersDepth: number },
): void {
  for (let word = 0; word < WORDS_OF_SCAN; word += 1) words[word] = 0
  words[WORD.state] = FIRST_STATE
  words[WORD.depthLimit] = Math.min(depthLimit, MAX_DEPTH)
  words[WORD.membersDepth] = membersDepth
}

/** Returns true where the text may end here. */
export function isComplete(words: Int32Array): boolean {
  return words[WORD.depth] === 0 && LAST_STATES.has(words[WORD.state] ?? 0)
}

function machineExports({ exports }: WebAssembly.Instance): Exports {
  const { memory, run, compact, added, encode } = exports
  if (
    !(memory instanceof WebAssembly.Memory) ||
    typeof run !== 'function' ||
    typeof compact !== 'function' ||
    typeof added !== 'function' ||
    typeof encode !== 'function'
  ) {
    throw new Error('json-machine.ts does not match json-machine.wat')
  }
  return {
    memory,
    run: (from, end) => Number(run(from, end)),
    compact: (length, state) => Number(compact(length, state)),
    added: (length) => Number(added(length)),
    encode: (length) => Number(encode(length)),
  }
}

/**
 * Returns eight bytes for each byte up to the backslash: its escape as in JSON.stringify, and its length in the last
 * byte.
 */
function escapes(): Buffer {
  const table = Buffer.alloc(('\\'.charCodeAt(0) + 1) * 8)
  const escaped = [...Array.from({ length: 0x20 }, (_, code) => code), '"'.charCodeAt(0), '\\'.charCodeAt(0)]
  for (const code of escaped) {
    const text = JSON.stringify(String.fromCharCode(code)).slice(1, -1)
    table.write(text, code * 8, 'latin1')
    table[code * 8 + 7] = text.length
  }
  return table
}
