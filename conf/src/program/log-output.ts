import { writeSync } from 'node:fs'
import { errorCode } from './failure.ts'

export type LogOutputOptions = {
  /** The number of an open file. */
  readonly file: number
  /** Called after a written line with the number of lines that were dropped before it, and the code of the last failure. */
  readonly onDropped: (lines: number, code: string) => void
}

/**
 * Writes log lines before `write` returns, so that an exit loses none. A line that the system doesn't take is dropped:
 * a full disk must not end the program in its next log line. Once the reader of a pipe has left, nothing more is
 * written.
 */
export class LogOutput {
  readonly #options: LogOutputOptions
  #dropped = 0
  #isCut = false
  #isReaderGone = false
  #code = ''

  constructor(options: LogOutputOptions) {
    this.#options = options
  }

  /** Never throws. */
  write(line: string): void {
    if (this.#isReaderGone) return
    // The rest of a cut line is gone, and the next line must not continue it.
    const bytes = Buffer.from(this.#isCut ? `\n${line}` : line)
    const { written, code } = writeAll(this.#options.file, bytes)
    if (written > 0) this.#isCut = bytes[written - 1] !== NEWLINE
    if (code === undefined) {
      this.#tellDropped()
      return
    }
    this.#dropped += 1
    this.#code = code
    this.#isReaderGone = code === 'EPIPE'
  }

  #tellDropped(): void {
    const lines = this.#dropped
    if (lines === 0) return
    this.#dropped = 0
    this.#options.onDropped(lines, this.#code)
    // Where that line was dropped, too, a later one has the whole number.
    if (this.#dropped > 0) this.#dropped += lines
  }
}

const NEWLINE = 0x0a
/** The milliseconds after which a full pipe is tried again, where writes to it don't wait by themselves. */
const BUSY_MS = 100

/** Writes bytes until all are written or the system refuses the rest, with `code`. */
function writeAll(file: number, bytes: Buffer): { readonly written: number; readonly code?: string } {
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(file, bytes, written)
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'EAGAIN') return { written, code }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)
    }
  }
  return { written }
}
