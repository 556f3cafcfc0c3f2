import {
  isRecent,
  type Overtaken,
  type OvertakenNote,
  overtakenKey,
  readOvertaken,
  SINKS_BUCKET,
} from '@llm-gateway/protocol'
import { entriesOf, errorCode, jsonFields } from './publish-answer.ts'
import type { RecordConnection } from './record-connection.ts'

export type OvertakenSinksOptions = {
  readonly connection: Pick<RecordConnection, 'request' | 'connected' | 'onConnected'>
  readonly stream: string
  /** Returns milliseconds since the epoch. */
  readonly now: () => number
  /** The milliseconds between two questions. */
  readonly refreshMs?: number
}

const REFRESH_MS = 30_000
const API_TIMEOUT_MS = 5_000
/** The longest answer: notes have at most 64 KiB, sent in base64 with some fields of the bus. */
const LONGEST_ANSWER = 128 * 1024

/**
 * The sinks' notes about records that the stream dropped before the sinks had read them. The notes are read at each
 * connection, then twice a minute.
 */
export class OvertakenSinks {
  readonly #options: OvertakenSinksOptions
  readonly #timer: NodeJS.Timeout
  readonly #requestText: string
  #notes: ReadonlyMap<string, OvertakenNote> = new Map()
  #isRefreshing = false
  /**
   * True once the bus refused the question. The question isn't repeated on this connection, since each refusal would
   * log a warning.
   */
  #isRefused = false

  constructor(options: OvertakenSinksOptions) {
    const { connection, stream, refreshMs = REFRESH_MS } = options
    this.#options = options
    // The SDK of processors encodes keys in the same way.
    const token = Buffer.from(overtakenKey(stream)).toString('base64url')
    this.#requestText = JSON.stringify({ last_by_subj: `$KV.${SINKS_BUCKET}.${token}` })
    connection.onConnected(() => {
      this.#isRefused = false
      void this.#refresh() // never rejects
    })
    this.#timer = setInterval(() => void this.#refresh(), refreshMs)
    this.#timer.unref()
  }

  /** The notes of the last day, by sink. */
  get recent(): Readonly<Record<string, Overtaken>> {
    const nowMs = this.#options.now()
    const recent = [...this.#notes].filter(([, note]) => isRecent(note, nowMs))
    return Object.fromEntries(recent.map(([sink, { records, since, last }]) => [sink, { records, since, last }]))
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #refresh(): Promise<void> {
    const { connection } = this.#options
    if (this.#isRefreshing || this.#isRefused || !connection.connected) return
    this.#isRefreshing = true
    const subject = `$JS.API.STREAM.MSG.GET.KV_${SINKS_BUCKET}`
    const outcome = await connection.request(subject, this.#requestText, API_TIMEOUT_MS)
    this.#isRefreshing = false
    if (outcome.kind === 'not allowed') this.#isRefused = true
    if (outcome.kind === 'answered') this.#notes = notesIn(outcome.text)
  }
}

/** Returns the notes of an answer, none where the bucket or the note is missing. */
function notesIn(text: string): ReadonlyMap<string, OvertakenNote> {
  const fields = text.length > LONGEST_ANSWER ? undefined : jsonFields(text)
  const written = errorCode(fields) === undefined ? entriesOf(fields?.get('message'))?.get('data') : undefined
  return typeof written === 'string' ? readOvertaken(Buffer.from(written, 'base64')) : new Map()
}
