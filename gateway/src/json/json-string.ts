import type { Slice } from '../work/work-queue.ts'
import { type JsonMachine, OUTPUT, WINDOW_BYTES } from './json-machine-memory.ts'

type Text = { readonly bytes: Buffer; readonly maxBytes: number }

const QUOTE = 0x22
const QUOTES_BYTES = 2
/** The longest escape of a byte has six bytes, so that an encoded piece fits into a window. */
const PIECE_BYTES = Math.floor(WINDOW_BYTES / 6)

/** Implements `string` of JsonEngine. */
export function jsonString(
  machine: JsonMachine,
  text: Text,
  slice: Slice,
): Promise<Buffer | undefined> | Buffer | undefined {
  const { bytes, maxBytes } = text
  if (bytes.length + QUOTES_BYTES > maxBytes) return undefined
  if (bytes.length > WINDOW_BYTES) return inSlices(machine, text, slice)
  const length = bytes.length + QUOTES_BYTES + addedBy(machine, bytes)
  if (length > maxBytes) return undefined
  const target = Buffer.allocUnsafe(length)
  const end = writeEscaped(machine, bytes, { target, at: 1 })
  return quoted(target, end)
}

async function inSlices(machine: JsonMachine, { bytes, maxBytes }: Text, slice: Slice): Promise<Buffer | undefined> {
  let length = bytes.length + QUOTES_BYTES
  for (let at = 0; at < bytes.length; at += WINDOW_BYTES) {
    length += addedBy(machine, bytes.subarray(at, at + WINDOW_BYTES))
    if (length > maxBytes) return undefined
    if (slice.isDue) await slice.next()
  }
  const target = Buffer.allocUnsafe(length)
  let end = 1
  for (let at = 0; at < bytes.length; at += WINDOW_BYTES) {
    end = writeEscaped(machine, bytes.subarray(at, at + WINDOW_BYTES), { target, at: end })
    if (slice.isDue) await slice.next()
  }
  return quoted(target, end)
}

/** Writes the first and the last byte of a string. */
function quoted(target: Buffer, end: number): Buffer {
  // The bytes changed after they were counted: uninitialized memory must not be sent.
  if (end !== target.length - 1) throw new Error('the text changed after it was counted')
  target[0] = QUOTE
  target[end] = QUOTE
  return target
}

function addedBy(machine: JsonMachine, window: Uint8Array): number {
  machine.load(window)
  return machine.added(window.length)
}

/** Writes an escaped window; returns the position after it. */
function writeEscaped(
  machine: JsonMachine,
  window: Buffer,
  to: { readonly target: Buffer; readonly at: number },
): number {
  let { at } = to
  for (let start = 0; start < window.length; start += PIECE_BYTES) {
    const piece = window.subarray(start, start + PIECE_BYTES)
    machine.load(piece)
    const length = machine.encode(piece.length)
    machine.bytes.copy(to.target, at, OUTPUT, OUTPUT + length)
    at += length
  }
  return at
}
