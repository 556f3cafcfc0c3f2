import { type ClientRequest, request } from 'node:http'

export type Ask = {
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

export type Outcome = {
  /** 0 without an answer. */
  readonly status: number
  readonly bytes: number
  /** True if the answer is complete. */
  readonly complete: boolean
  readonly milliseconds: number
  readonly headers: Readonly<Record<string, unknown>>
}

/** The longest pause of a reader that keeps a pace. */
const LONGEST_PAUSE_MS = 500
const PACE_MS = 50

/** Makes a call on a new connection. The answer's body is counted and dropped; a failure is an outcome too. */
export function ask(options: Ask): Promise<Outcome> {
  const { port, path, body, chunks, timeoutMs = 60_000 } = options
  const began = performance.now()
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const headers = { 'Content-Type': 'application/json', ...length, ...options.headers }
  const method = options.method ?? 'POST'
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve) => {
    let seen: Omit<Outcome, 'milliseconds' | 'bytes' | 'complete'> = { status: 0, headers: {} }
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
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('close', () => end(answer.complete))
      answer.on('error', () => end(false))
      const { bytesPerSecond } = options
      if (bytesPerSecond !== undefined) keepPace(sent, () => bytes, bytesPerSecond)
    })
    sent.on('error', () => end(false))
    if (chunks === undefined) sent.end(body)
    else void sendChunks(sent, chunks) // a failure is an 'error' of `sent`
  })
}

/**
 * Pauses reading whenever more bytes have come than the pace allows. On a busy machine one turn can read megabytes: a
 * reader so far ahead goes on after a short pause, since a pause of seconds is no steady reading.
 */
function keepPace(sent: ClientRequest, count: () => number, bytesPerSecond: number): void {
  let allowed = 0
  const ticker = setInterval(() => {
    const floor = count() - (bytesPerSecond * LONGEST_PAUSE_MS) / 1_000
    allowed = Math.max(allowed + (bytesPerSecond * PACE_MS) / 1_000, floor)
    if (count() > allowed) sent.socket?.pause()
    else sent.socket?.resume()
  }, PACE_MS)
  sent.on('close', () => clearInterval(ticker))
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
