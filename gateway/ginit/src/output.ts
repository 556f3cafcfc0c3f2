import type { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'

/** Says how fast the services' output may be read. */
export type OutputPace = {
  /** True while the reader of the supervisor's output is behind; then no service's output is passed on. */
  readonly isFull: boolean
  /** Calls `resume` once lines may be passed on again. */
  whenFree(resume: () => void): void
}

/** The pace of output that is always read. */
export const FREE_PACE: OutputPace = { isFull: false, whenFree: (resume) => resume() }

/** The supervisor's own output. */
export type Output = OutputPace & {
  /**
   * Writes a line, or drops it where the reader has gone, has stopped reading, or is 16 Mi characters behind, or where
   * the disk of the output is full.
   */
  write(line: string): void
  /** From now on lines wait for `stallMs` of a stop. */
  startStopping(): void
  /** Resolves with true once all lines have left, with false where they haven't left within `stallMs`. */
  flush(): Promise<boolean>
}

export type OutputOptions = {
  readonly stream: Pick<Writable, 'write' | 'on' | 'writableLength'>
  /** Called with the number of dropped lines once the reader reads again, or the disk has room again. */
  readonly onDropped: (lines: number) => void
  /** The milliseconds without a read after which lines are dropped. */
  readonly stallMs?: { readonly running: number; readonly stopping: number }
}

/** A reader that has stopped, such as a paused pager, must not stop the gateway in its next log line. */
const STALL_MS = { running: 10_000, stopping: 2_000 }
/**
 * The most characters that wait for the reader. The services' lines wait in their pipes long before; the supervisor's
 * own lines and the last lines of services that ended have no place to wait.
 */
const MAX_WAITING = 16 * 1024 * 1024

/** Writes lines to a stream and lets the services wait for its reader, one after another. */
export function createOutput({ stream, onDropped, stallMs = STALL_MS }: OutputOptions): Output {
  const waiting: (() => void)[] = []
  let state: 'free' | 'full' | 'stalled' | 'gone' = 'free'
  let isStopping = false
  let dropped = 0
  let stall: NodeJS.Timeout | undefined
  const tellDropped = () => {
    const lines = dropped
    dropped = 0
    if (lines > 0) onDropped(lines)
  }
  stream.on('drain', () => {
    if (state === 'gone') return
    clearTimeout(stall)
    state = 'free'
    tellDropped()
    wake()
  })
  stream.on('error', (error) => {
    clearTimeout(stall)
    const isGone = isReaderGone(error)
    if (!isGone) dropped += 1
    state = isGone || state === 'gone' ? 'gone' : 'free'
    wake()
  })
  return {
    get isFull() {
      return state === 'full'
    },
    whenFree: (resume) => void waiting.push(resume),
    write(line) {
      if (state === 'gone' || state === 'stalled' || stream.writableLength > MAX_WAITING) {
        dropped += 1
        return
      }
      if (stream.write(line)) return tellDropped()
      if (state === 'free') watchStall(isStopping ? stallMs.stopping : stallMs.running)
      state = 'full'
    },
    startStopping() {
      isStopping = true
      if (state === 'full') watchStall(stallMs.stopping)
    },
    flush() {
      if (state === 'gone' || state === 'stalled') return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const limit = setTimeout(() => resolve(false), stallMs.stopping)
      // Streams call back in the order of their writes, and with an error where the reader has gone.
      stream.write('', (error) => {
        clearTimeout(limit)
        resolve(!error)
      })
      return promise
    },
  }

  /** Each service that is woken passes lines on until the stream is full; then the next ones are the first in line. */
  function wake(): void {
    for (let left = waiting.length; left > 0 && state !== 'full'; left -= 1) waiting.shift()?.()
  }

  function watchStall(limitMs: number): void {
    clearTimeout(stall)
    stall = setTimeout(() => {
      state = 'stalled'
      wake()
    }, limitMs).unref()
  }
}

const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Returns false for the failed write of a file whose disk has no room: later writes may find room again. */
export function isReaderGone(error: Error): boolean {
  return !('code' in error && FULL_DISK.has(error.code))
}

/**
 * Makes writes to a pipe return at once again: node makes the output that a child inherits blocking, and this process
 * shares it. A reader that stops would otherwise stop the supervisor within a write, deaf to signals.
 */
export function unblock(stream: Pick<WriteStream, 'isTTY'>): void {
  const handle: unknown = Reflect.get(stream, '_handle')
  if (stream.isTTY || typeof handle !== 'object' || handle === null) return
  const setBlocking: unknown = Reflect.get(handle, 'setBlocking')
  if (typeof setBlocking === 'function') setBlocking.call(handle, false)
}
