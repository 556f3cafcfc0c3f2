import type { Transform } from 'node:stream'
import type { Slice } from '../work/work-queue.ts'
import type { PieceSource } from './piece-source.ts'

export type Decoder = Transform & { readonly bytesWritten: number }

/** The length in bytes of the pieces that a decoder gives out, and the largest window that zstd may take. */
export type DecoderSize = { readonly chunkSize: number; readonly zstdWindowBits: number }

/** Each piece takes a job of Node's thread pool and some work of the main thread, so that large pieces are cheaper. */
const LONG: DecoderSize = { chunkSize: 64 * 1024, zstdWindowBits: 23 }

/** A content coding. */
export type Coding = {
  /** `start`: the first bytes of the coded body. */
  readonly decoder: (start: Buffer, size: DecoderSize) => Decoder
  /** Makes a decoder of a short body fill less memory before it gives out a byte. */
  readonly narrow?: (coded: Buffer) => Buffer
  readonly atOnce?: (coded: Buffer, options: { maxOutputLength: number }) => Buffer
  /** True where Node decodes only the first frame of a write, so that each further frame needs a new decoder. */
  readonly isFramed?: true
}

/** The progress of decoding a body, shared by the stages of its codings. */
export type DecodeProgress = { cut: boolean; truncated: boolean; undecodable: boolean }

/** The most frames of a zstd body, since each takes a decoder. */
const MAX_FRAMES = 1_000
/** The number of first bytes that distinguish zlib's deflate from raw deflate. */
const START_BYTES = 2

/** Removes one coding, as fast as its bytes are read. Ends at the first bytes that don't fit the coding. */
export async function* decodeStage(
  source: PieceSource,
  coding: Coding,
  { progress, slice }: { readonly progress: DecodeProgress; readonly slice: Slice },
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (let frames = 0; ; frames += 1) {
      const start = await source.peek(START_BYTES)
      // An empty body decodes to nothing, and only framed codings continue behind an end.
      if (start.length === 0 || (frames > 0 && coding.isFramed !== true)) return
      if (frames === MAX_FRAMES) {
        progress.undecodable = true
        return
      }
      yield* decodeFrame(source, coding.decoder(start, LONG), progress)
      if (progress.undecodable || progress.truncated) return
      if (slice.isDue) await slice.next()
    }
  } finally {
    await source.close()
  }
}

/** Decodes up to the end of a frame and gives the following bytes back to the source. */
async function* decodeFrame(
  source: PieceSource,
  decoder: Decoder,
  progress: DecodeProgress,
): AsyncGenerator<Buffer, void, undefined> {
  const flow = new DecoderFlow(decoder)
  let piece: Buffer | undefined
  try {
    for (;;) {
      const step = await flow.next()
      switch (step.kind) {
        case 'bytes':
          yield step.bytes
          break
        case 'wants':
          piece = await source.next()
          // The stage before has already recorded why its bytes ended.
          if (progress.undecodable) return
          if (piece === undefined) flow.end()
          else flow.write(piece)
          break
        case 'end':
          if (piece !== undefined) source.unread(piece.subarray(step.consumed))
          return
        case 'truncated':
          // A cut body lacks its end in any case.
          progress.truncated = !progress.cut
          return
        case 'broken':
          progress.undecodable = true
          return
        default:
          return step satisfies never
      }
    }
  } finally {
    decoder.destroy()
  }
}

type DecoderStep =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** All bytes so far are decoded and read. */
  | { readonly kind: 'wants' }
  /** `consumed` counts bytes of the last piece. */
  | { readonly kind: 'end'; readonly consumed: number }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'broken' }

/** Turns a decoder's events into steps that are read one by one. */
class DecoderFlow {
  readonly #decoder: Decoder
  #state: 'writing' | 'wants' | 'ending' | 'ended' | 'truncated' | 'broken' = 'wants'
  #bytesBefore = 0
  #wake: () => void = () => undefined

  constructor(decoder: Decoder) {
    this.#decoder = decoder
    decoder.on('readable', () => this.#wake())
    decoder.on('end', () => this.#become('ended'))
    decoder.on('error', (error: NodeJS.ErrnoException) =>
      this.#become(error.code === 'Z_BUF_ERROR' ? 'truncated' : 'broken'),
    )
  }

  write(piece: Buffer): void {
    this.#state = 'writing'
    this.#bytesBefore = this.#decoder.bytesWritten
    this.#decoder.write(piece, () => {
      // A decoder that left a part of the piece has reached the end; the step `end` follows once all output was read.
      const isTaken = this.#decoder.bytesWritten - this.#bytesBefore === piece.length
      if (this.#state === 'writing' && isTaken) this.#become('wants')
    })
  }

  /** Ends the input; called once all output was read, since zlib would discard the decoded part of a truncated body. */
  end(): void {
    this.#state = 'ending'
    this.#bytesBefore = this.#decoder.bytesWritten
    this.#decoder.end()
  }

  async next(): Promise<DecoderStep> {
    for (;;) {
      const bytes: Buffer | null = this.#decoder.read()
      if (bytes !== null) return { kind: 'bytes', bytes }
      if (this.#state === 'ended') return { kind: 'end', consumed: this.#decoder.bytesWritten - this.#bytesBefore }
      if (this.#state !== 'writing' && this.#state !== 'ending') return { kind: this.#state }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #become(state: 'wants' | 'ended' | 'truncated' | 'broken'): void {
    this.#state = state
    this.#wake()
  }
}
