import { isUtf8 } from 'node:buffer'
import { FIRST_STATE, LAST_STATES, transitions } from './json-grammar.ts'
import { JSON_MACHINE } from './json-machine.ts'

/** What some bytes are. */
export type TextKind = 'json' | 'text' | 'binary'

export type JsonCheck = {
  /** `json`: one JSON text in UTF-8 (RFC 8259), as JSON.parse judges it, however deep; `text`: other UTF-8. */
  kindOf(bytes: Uint8Array): TextKind
}

/** Places in the machine's memory, as json-machine.wat has them. */
const WINDOW = 16_384
const WINDOW_BYTES = 65_536
const STACK = WINDOW + WINDOW_BYTES
const PAGE_BYTES = 65_536
/** A machine that a hostile body made larger is not kept. */
const KEPT_BYTES = 16 * PAGE_BYTES

/**
 * Judges JSON without making anything of it: a request's body is only forwarded and recorded as it came, and what JSON.parse
 * makes of it would cost more than all else that is done with a large one, or seconds where it is hostile.
 */
export function createJsonCheck(): JsonCheck {
  const module = new WebAssembly.Module(Buffer.from(JSON_MACHINE, 'base64'))
  const table = transitions()
  let machine = new JsonMachine(module, table)
  return {
    kindOf: (bytes) => {
      if (!isUtf8(bytes)) return 'binary'
      const kind = machine.accepts(bytes) ? 'json' : 'text'
      if (machine.memoryBytes > KEPT_BYTES) machine = new JsonMachine(module, table)
      return kind
    },
  }
}

type Exports = {
  readonly memory: WebAssembly.Memory
  readonly depth: WebAssembly.Global
  readonly run: (end: number, state: number) => number
}

class JsonMachine {
  readonly #exports: Exports
  #memory: Uint8Array

  constructor(module: WebAssembly.Module, table: Uint8Array) {
    this.#exports = machineExports(new WebAssembly.Instance(module))
    this.#memory = new Uint8Array(this.#exports.memory.buffer)
    this.#memory.set(table)
  }

  get memoryBytes(): number {
    return this.#memory.length
  }

  accepts(bytes: Uint8Array): boolean {
    const { depth, run } = this.#exports
    depth.value = 0
    let state = FIRST_STATE
    for (let start = 0; start < bytes.length; start += WINDOW_BYTES) {
      const window = bytes.length <= WINDOW_BYTES ? bytes : bytes.subarray(start, start + WINDOW_BYTES)
      this.#memory.set(window, WINDOW)
      this.#makeRoom(depth.value + window.length)
      state = run(window.length, state)
      if (state === 0) return false
    }
    return LAST_STATES.has(state) && depth.value === 0
  }

  /** For as many open containers as there may be after a window: each byte may open one. */
  #makeRoom(depth: number): void {
    const missing = STACK + depth - this.#memory.length
    if (missing <= 0) return
    // Twice what is missing: growing means copying.
    this.#exports.memory.grow(Math.ceil((2 * missing) / PAGE_BYTES))
    this.#memory = new Uint8Array(this.#exports.memory.buffer)
  }
}

function machineExports({ exports: { memory, depth, run } }: WebAssembly.Instance): Exports {
  if (!(memory instanceof WebAssembly.Memory) || !(depth instanceof WebAssembly.Global) || typeof run !== 'function') {
    throw new Error('json-machine.ts is not of this json-machine.wat')
  }
  return { memory, depth, run: (end, state) => Number(run(end, state)) }
}
