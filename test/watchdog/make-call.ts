import { type ClientRequest, type IncomingMessage, request } from 'node:http'

export type CallOptions = {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | string
  /** Pieces in place of `body`, each sent as a chunk. */
  readonly chunks?: Iterable<Uint8Array>
  /** Pace of reading the answer; unset reads at full speed. */
  readonly bytesPerSecond?: number
  readonly timeoutMs?: number
}

export type CallOutcome = {
  /** 0 without an answer. */
  readonly status: number
  readonly bytes: number
  /** True if the answer is complete. */
  readonly complete: boolean
  readonly milliseconds: number
  readonly headers: Readonly<Record<string, unknown>>
}

/** Pause between the steps of a steady reader. */
const PACE_MS = 10
/** Bound of the time that one step counts. */
const LONGEST_STEP_MS = 100

/** Makes a call on a new connection. The answer's body is counted and dropped; a failure is an outcome too. */
export function makeCall(options: CallOptions): Promise<CallOutcome> {
  const { port, path, body, chunks, timeoutMs = 60_000 } = options
  const began = performance.now()
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const headers = { 'Content-Type': 'application/json', ...length, ...options.headers }
  const method = options.method ?? 'POST'
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve) => {
    let seen: Omit<CallOutcome, 'milliseconds' | 'bytes' | 'complete'> = { status: 0, headers: {} }
    let bytes = 0
    const end = (complete: boolean): void => {
      resolve({ ...seen, bytes, complete, milliseconds: performance.now() - began })
    }
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers,
      agent: false,
      signal,
      maxHeaderSize: 262_144,
    })
    sent.on('response', (answer) => {
      seen = { status: answer.statusCode ?? 0, headers: answer.headers }
      const count = (read: number): void => {
        bytes += read
      }
      const { bytesPerSecond } = options
      if (bytesPerSecond !== undefined) readSteadily(answer, bytesPerSecond, count)
      else answer.on('data', (chunk: Buffer) => count(chunk.length))
      answer.on('close', () => end(answer.complete))
      answer.on('error', () => end(false))
    })
    sent.on('error', () => end(false))
    if (chunks === undefined) sent.end(body)
    else void sendChunks(sent, chunks) // a failure is an 'error' of `sent`
  })
}

/**
 * Reads no more than the pace allows, in small steps, and calls `read` with the size of each piece. A flowing answer
 * that is paused now and then would be read by megabytes on a busy machine, and then not at all for seconds.
 */
function readSteadily(answer: IncomingMessage, bytesPerSecond: number, read: (bytes: number) => void): void {
  let last = performance.now()
  const ticker = setInterval(() => {
    const now = performance.now()
    const credit = Math.ceil((bytesPerSecond * Math.min(now - last, LONGEST_STEP_MS)) / 1_000)
    last = now
    const chunk: unknown = answer.read(Math.min(credit, answer.readableLength))
    if (Buffer.isBuffer(chunk)) read(chunk.length)
  }, PACE_MS)
  answer.on('readable', () => undefined)
  answer.on('close', () => clearInterval(ticker))
}

async function sendChunks(sent: ClientRequest, chunks: Iterable<Uint8Array>): Promise<void> {
  sent.setNoDelay(true)
  for (const chunk of chunks) {
    if (sent.destroyed) return
    if (!sent.write(chunk))
      await new Promise<void>((resolve) => {
        sent.once('drain', resolve)
        sent.once('close', () => resolve())
      })
  }
  sent.end()
}
