import type { Instant } from '../clock.ts'
import type { RowProcessor } from '../config/runtime-config.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { ScanResult } from '../json/scan-result.ts'
import { copyBytes } from '../memory/copy-bytes.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import type { Slice } from '../work/work-queue.ts'
import type { ReplyFields, ReplyValue } from './reply-value.ts'

/** A processor's answer; `not called` where none of its fields exists. */
export type ProcessorAnswer = {
  readonly processor: RowProcessor
  readonly reply: ProcessorReply | { readonly kind: 'not called' }
  readonly start: Instant
  readonly stop: Instant
}

export type ProcessorReply =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fields'; readonly fields: ReplyFields }
  | { readonly kind: 'not an object' }
  | { readonly kind: 'failed'; readonly error: string }

/** The tools that read a reply; fields nested deeper than `depth` aren't read. `memory` has the reply's bytes. */
export type ReplyContext = {
  readonly json: JsonEngine
  readonly slice: Slice
  readonly depth: number
  readonly memory: Pick<CallMemory, 'take'>
}

/** The longest reply in which invalid UTF-8 is replaced. */
const REPLACED_BYTES = 1_048_576
/** The bytes scanned between two checks of the slice; a longer reply waits for a turn before it is read. */
const PIECE_BYTES = 65_536
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/**
 * Reads a processor's reply without parsing its values. An empty reply, white space and `{}` add nothing; of an object
 * only the fields in `names` are read (docs/reference/bus.md#reply). Works in slices and never rejects.
 */
export async function decodeReply(
  reading: ReplyContext,
  bytes: Uint8Array,
  names: ReadonlySet<string>,
): Promise<ProcessorReply> {
  if (bytes.length > PIECE_BYTES) await reading.slice.next()
  const replyBytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = replyBytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? replyBytes.subarray(BYTE_ORDER_MARK.length)
    : replyBytes
  const reader = new ReplyReader(reading, text)
  const read = await reader.read(names)
  if (read.scanned.kind !== 'binary' || text.length > REPLACED_BYTES) return reader.reply(read)
  // Each invalid byte becomes a character of three bytes.
  const replaced = Buffer.from(text.toString())
  if (!reading.memory.take(replaced.length - text.length)) return { kind: 'failed', error: 'too large' }
  const replacedReader = new ReplyReader(reading, replaced)
  return replacedReader.reply(await replacedReader.read(names))
}

/** A scanned reply; `first` is its first byte that isn't white space. */
type ScannedReply = { readonly scanned: ScanResult; readonly first: number | undefined }

const OBJECT = 0x7b
const ARRAY = 0x5b

class ReplyReader {
  readonly #reading: ReplyContext
  readonly #text: Buffer

  constructor(reading: ReplyContext, text: Buffer) {
    this.#reading = reading
    this.#text = text
  }

  async read(names: ReadonlySet<string>): Promise<ScannedReply> {
    // Only the field that is nested too deep is left out, so that the scan of the whole reply has no depth limit.
    const scan = this.#reading.json.begin(Number.POSITIVE_INFINITY, names)
    let first: number | undefined
    for (let at = 0; at < this.#text.length; at += PIECE_BYTES) {
      const piece = this.#text.subarray(at, at + PIECE_BYTES)
      first ??= firstByte(piece)
      scan.add(piece)
      if (this.#reading.slice.isDue) await this.#reading.slice.next()
    }
    return { scanned: scan.end(), first }
  }

  async reply({ scanned, first }: ScannedReply): Promise<ProcessorReply> {
    if (first === undefined) return { kind: 'nothing' }
    if (scanned.kind !== 'json' || first !== OBJECT)
      return this.#isBlank() ? { kind: 'nothing' } : { kind: 'not an object' }
    if (scanned.values === 1) return { kind: 'nothing' }
    const fields = new Map<string, ReplyValue>()
    for (const { name, start, end } of scanned.members) {
      fields.set(name, await this.#value(this.#text.subarray(start, end)))
      if (this.#reading.slice.isDue) await this.#reading.slice.next()
    }
    return { kind: 'fields', fields }
  }

  /** Returns true for a reply of white space of any kind, not only JSON's. */
  #isBlank(): boolean {
    return this.#text.length <= REPLACED_BYTES && this.#text.toString().trim() === ''
  }

  async #value(text: Buffer): Promise<ReplyValue> {
    const { json } = this.#reading
    if (text[0] !== OBJECT && text[0] !== ARRAY) return { kind: 'json', json: this.#kept(text), values: 1 }
    const { tooDeep, spaces, values } = await this.#scan(text)
    if (tooDeep) return { kind: 'too deep' }
    const compact = spaces === 0 ? this.#kept(text) : await json.compact(text, spaces, this.#reading.slice)
    return { kind: 'json', json: compact, values }
  }

  async #scan(text: Buffer): Promise<ScanResult> {
    const { json, depth } = this.#reading
    if (text.length <= PIECE_BYTES) return json.scan(text, depth)
    const scan = json.begin(depth)
    for (let at = 0; at < text.length; at += PIECE_BYTES) {
      scan.add(text.subarray(at, at + PIECE_BYTES))
      if (this.#reading.slice.isDue) await this.#reading.slice.next()
    }
    return scan.end()
  }

  /** Copies a small part of a reply: a view would retain the whole message until the call ends. */
  #kept(text: Buffer): Buffer {
    return text.length * 2 < this.#text.length ? copyBytes(text) : text
  }
}

function firstByte(piece: Buffer): number | undefined {
  for (const byte of piece) if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
  return undefined
}
