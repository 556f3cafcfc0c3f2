import type { Slice } from '../work/work-queue.ts'
import { type JsonMachine, OUTPUT, WINDOW_BYTES } from './json-machine-memory.ts'

/** A JSON text; a scan counted its bytes of white space outside strings as `spaces`. */
type SpacedJson = { readonly bytes: Buffer; readonly spaces: number }

/** Copies scanned JSON without the white space outside strings; returns no promise up to 64 KiB. */
export function compactJson(machine: JsonMachine, json: SpacedJson, slice: Slice): Promise<Buffer> | Buffer {
  return json.bytes.length > WINDOW_BYTES ? copyInSlices(new CompactCopy(machine, json), slice) : copyNow(machine, json)
}

/** Copies as `compactJson` does, without slices. */
export function copyNow(machine: JsonMachine, json: SpacedJson): Buffer {
  const copy = new CompactCopy(machine, json)
  while (copy.next());
  return copy.whole()
}

async function copyInSlices(copy: CompactCopy, slice: Slice): Promise<Buffer> {
  while (copy.next()) if (slice.isDue) await slice.next()
  return copy.whole()
}

class CompactCopy {
  readonly #target: Buffer
  readonly #machine: JsonMachine
  readonly #source: Buffer
  #state = 0
  #read = 0
  #written = 0

  constructor(machine: JsonMachine, { bytes, spaces }: SpacedJson) {
    this.#target = Buffer.allocUnsafe(bytes.length - spaces)
    this.#machine = machine
    this.#source = bytes
  }

  /** Copies one window; returns false at the end. */
  next(): boolean {
    const window = this.#source.subarray(this.#read, this.#read + WINDOW_BYTES)
    this.#machine.load(window)
    const length = this.#machine.compact(window.length, this.#state)
    this.#state = this.#machine.compactState()
    this.#machine.bytes.copy(this.#target, this.#written, OUTPUT, OUTPUT + length)
    this.#read += window.length
    this.#written += length
    return this.#read < this.#source.length
  }

  whole(): Buffer {
    // The bytes changed after they were counted: uninitialized memory must not be sent.
    if (this.#written !== this.#target.length) throw new Error('the text changed after it was scanned')
    return this.#target
  }
}
