import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import { Attempts, type AttemptTimings } from './attempts.ts'
import { addressText } from './bus-address.ts'
import type { BusErrorCode } from './bus-error-code.ts'
import type { BusPlace } from './bus-place.ts'
import { openSocket } from './open-socket.ts'
import { RecordLink } from './record-link.ts'
import type { RecordMessage } from './record-message.ts'

/** The bus as records need it: publish and ask for PONGs. It may be away at any time, at the start too. */
export type RecordConnection = {
  readonly connected: boolean
  /** Bytes of headers and payload together; what the server last said; undefined before the first connection. */
  readonly maxPayload: number | undefined
  /** False: not connected, too large, or the bus doesn't keep up; nothing was taken. */
  publish(message: RecordMessage): boolean
  /** True after a PONG that came after everything published before; false when the connection ends first; never rejects. */
  flush(): Promise<boolean>
  /** The first connection and every reconnection. */
  onConnected(listener: () => void): void
  onDisconnected(listener: () => void): void
  /** Sends what was published and closes for good. */
  close(): Promise<void>
}

export type RecordConnectionOptions = BusPlace & {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly timings?: Partial<RecordConnectionTimings>
}

export type RecordConnectionTimings = AttemptTimings & {
  readonly connectTimeoutMs: number
  /** A connection is given up when two PINGs in a row bring nothing. */
  readonly pingIntervalMs: number
  /** Pause before a bus that was away gets records: time for the readers of records to come back to it. */
  readonly readersReturnMs: number
}

const TIMINGS: RecordConnectionTimings = {
  connectTimeoutMs: 5_000,
  pingIntervalMs: 10_000,
  firstPauseMs: 200,
  longestPauseMs: 4_000,
  repeatWarningMs: 60_000,
  // NATS clients look for a lost bus every 2 s; a record that comes before its readers is lost to them.
  readersReturnMs: 2_500,
}
const LAST_FLUSH_MS = 1_000

/**
 * A publish-only NATS client. Every call makes a record with its payloads in it: the nats package copies a message twice
 * and makes promises for it, which costs more than all else that is done for a record; here payloads are written from
 * where they lie. Calls, answers and everything else stay on the package (nats-bus.ts).
 */
export function createRecordConnection(options: RecordConnectionOptions): RecordConnection {
  return new NatsRecordConnection(options)
}

class NatsRecordConnection implements RecordConnection {
  readonly #options: RecordConnectionOptions
  readonly #timings: RecordConnectionTimings
  readonly #connectedListeners: (() => void)[] = []
  readonly #disconnectedListeners: (() => void)[] = []
  readonly #closing = new AbortController()
  readonly #ended: Promise<void>
  #link: RecordLink | undefined
  #maxPayload: number | undefined

  constructor(options: RecordConnectionOptions) {
    this.#options = options
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#ended = this.#stayConnected() // never rejects: every failure is an outcome of #connect
  }

  get connected(): boolean {
    return this.#link?.open === true
  }

  get maxPayload(): number | undefined {
    return this.#link?.maxPayload ?? this.#maxPayload
  }

  publish(message: RecordMessage): boolean {
    if (this.#link === undefined || message.size > (this.maxPayload ?? 0)) return false
    return this.#link.send(message.stretches)
  }

  flush(): Promise<boolean> {
    return this.#link?.ping() ?? Promise.resolve(false)
  }

  onConnected(listener: () => void): void {
    this.#connectedListeners.push(listener)
  }

  onDisconnected(listener: () => void): void {
    this.#disconnectedListeners.push(listener)
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return this.#ended
    const link = this.#link
    const late = setTimeout(() => link?.end(), LAST_FLUSH_MS)
    await this.flush()
    clearTimeout(late)
    this.#closing.abort()
    link?.end()
    await this.#ended
  }

  async #stayConnected(): Promise<void> {
    const { logger } = this.#options
    const fields = { address: addressText(this.#options), for: 'records' }
    const attempts = new Attempts(this.#timings, logger, fields)
    let wasAway = false
    while (!this.#closing.signal.aborted) {
      const link = await this.#connect((subject) => {
        logger.warn({ ...fields, operation: 'publish', subject }, 'bus refused a subject')
      })
      if (typeof link !== 'string') {
        attempts.succeeded()
        logger.info({ ...fields, max_payload: link.maxPayload }, 'bus connected')
        if (wasAway) await this.#letReadersReturn(link)
        const code = await this.#serve(link)
        if (!this.#closing.signal.aborted) logger.warn({ ...fields, code }, 'bus disconnected')
        for (const listener of this.#disconnectedListeners) listener()
      } else if (!this.#closing.signal.aborted) attempts.failed(link)
      wasAway = true
      await attempts.pause(this.#closing.signal)
    }
  }

  /** Never rejects; returns early when the link ends or we close. */
  async #letReadersReturn(link: RecordLink): Promise<void> {
    const { signal } = this.#closing
    const pause = sleep(this.#timings.readersReturnMs, undefined, { signal, ref: false })
    await Promise.race([pause.catch(() => undefined), link.closed])
  }

  async #connect(refusedSubject: (subject: string) => void): Promise<RecordLink | BusErrorCode> {
    const { connectTimeoutMs, pingIntervalMs } = this.#timings
    const signal = AbortSignal.any([AbortSignal.timeout(connectTimeoutMs), this.#closing.signal])
    const opened = await openSocket(this.#options, signal)
    if (opened.kind === 'failed') return opened.code
    const link = new RecordLink({ ...opened, pingIntervalMs, refusedSubject })
    const end = (): void => link.end('BUS_TIMEOUT')
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    const greeted = await link.greet(connectLine(this.#options))
    signal.removeEventListener('abort', end)
    return greeted ? link : ((await link.closed) ?? 'BUS_CLOSED')
  }

  async #serve(link: RecordLink): Promise<BusErrorCode> {
    this.#link = link
    for (const listener of this.#connectedListeners) listener()
    const code = await link.closed
    this.#maxPayload = link.maxPayload
    this.#link = undefined
    return code ?? 'BUS_CLOSED'
  }
}

function connectLine({ token, tls }: BusPlace): string {
  const fields = {
    verbose: false,
    pedantic: false,
    headers: true,
    no_responders: true,
    tls_required: tls !== undefined,
    lang: 'node',
    version: process.versions.node,
    name: 'llm-gateway records',
    protocol: 1,
    ...(token === undefined ? {} : { auth_token: token.reveal() }),
  }
  return `CONNECT ${JSON.stringify(fields)}\r\n`
}
