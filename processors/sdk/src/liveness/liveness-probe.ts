import type { BusClient, RequestOutcome } from '../bus/bus.ts'

/** The result of a probe: does the bus still store published messages? */
export type LivenessOutcome =
  | { readonly kind: 'acknowledged' }
  /** The bus stored messages earlier and stores none now. `text` is the server's own text, for people. */
  | { readonly kind: 'failed'; readonly code: string; readonly text?: string }
  /** The probe can't judge: the bus never stored a message of the probe, or refuses the request. */
  | { readonly kind: 'unjudged'; readonly code: string }

type Bus = Pick<BusClient, 'request'>
type Answer = { readonly stream: unknown; readonly code: number | undefined; readonly text: string }

export type LivenessProbeOptions = {
  /** The subject on which the gateway publishes records. */
  readonly subject: string
  /** The connection; undefined while there is none. */
  readonly bus: () => Bus | undefined
  /** The limit for each request of a probe; default 5 s. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 5_000
const NOTHING = new Uint8Array()
const PAYLOAD = Buffer.alloc(1024, 'x')

/**
 * Probes whether the bus stores messages. A probe publishes into a stream of its own and waits for the acknowledgement,
 * so no reader of records sees the message. The stream keeps one message and is made when it is missing. Then the probe
 * asks for the state of the records' stream, since nats-server 2.9 may lock up only the stream that it failed to write.
 */
export class LivenessProbe {
  readonly #bus: () => Bus | undefined
  readonly #subject: string
  readonly #stream: string
  /** The name of the stream that keeps the records. */
  readonly records: string
  readonly #timeoutMs: number
  #stored = false
  #hasRecords = false

  constructor({ subject, bus, timeoutMs = TIMEOUT_MS }: LivenessProbeOptions) {
    const prefix = subject.endsWith('.gl.logger') ? subject.slice(0, -'.gl.logger'.length) : subject
    this.#bus = bus
    this.#timeoutMs = timeoutMs
    this.#subject = `${prefix}.gl.life`
    const name = prefix.replaceAll(/[^\w-]/g, '_')
    this.#stream = `life_${name}`
    this.records = `records_${name}`
  }

  /** Probes once. Never rejects; takes at most three times `timeoutMs`. */
  async probe(): Promise<LivenessOutcome> {
    const bus = this.#bus()
    if (bus === undefined) return this.#silent('UNREACHABLE')
    const published = await this.#publish(bus)
    if (published.kind !== 'acknowledged') return published
    const records = await bus.request(`$JS.API.STREAM.INFO.${this.records}`, NOTHING, this.#timeoutMs)
    if (records.kind === 'reply') this.#hasRecords = true
    const isSilent = records.kind === 'failed' && records.error === 'timeout'
    return isSilent && this.#hasRecords ? { kind: 'failed', code: 'RECORDS_NO_ANSWER' } : published
  }

  async #publish(bus: Bus): Promise<LivenessOutcome> {
    const first = await bus.request(this.#subject, PAYLOAD, this.#timeoutMs)
    if (first.kind === 'reply') return this.#judge(first)
    if (first.error === 'not allowed') return { kind: 'unjudged', code: 'NOT_ALLOWED' }
    if (first.error === 'disconnected') return this.#silent('UNREACHABLE')
    // Where a subscriber listens to every subject, a bus without the stream also stays silent instead of "no
    // responders".
    const made = await this.#make(bus)
    return made ?? this.#judge(await bus.request(this.#subject, PAYLOAD, this.#timeoutMs))
  }

  /** Makes the stream; undefined once the stream exists. */
  async #make(bus: Bus): Promise<LivenessOutcome | undefined> {
    const config = {
      name: this.#stream,
      subjects: [this.#subject],
      storage: 'file',
      discard: 'old',
      max_msgs: 1,
      max_bytes: 64 * 1024,
    }
    const outcome = await bus.request(
      `$JS.API.STREAM.CREATE.${this.#stream}`,
      Buffer.from(JSON.stringify(config)),
      this.#timeoutMs,
    )
    const answer = answerOf(outcome)
    if (answer === undefined) return this.#judge(outcome)
    // The bus has no room for a stream, or JetStream is off: a failure only for a bus that stored before.
    return answer.code === undefined ? undefined : this.#refused(answer)
  }

  #judge(outcome: RequestOutcome): LivenessOutcome {
    const answer = answerOf(outcome)
    if (answer !== undefined) {
      if (answer.stream !== this.#stream || answer.code !== undefined) return this.#refused(answer)
      this.#stored = true
      return { kind: 'acknowledged' }
    }
    if (outcome.kind === 'failed' && outcome.error === 'not allowed') return { kind: 'unjudged', code: 'NOT_ALLOWED' }
    return this.#silent(outcome.kind === 'failed' && outcome.error === 'no responders' ? 'STORE_OFF' : 'NO_ANSWER')
  }

  #refused({ code, text }: Answer): LivenessOutcome {
    const name = code === undefined ? 'ODD_ANSWER' : `STORE_${code}`
    return this.#stored ? { kind: 'failed', code: name, text } : { kind: 'unjudged', code: name }
  }

  #silent(code: string): LivenessOutcome {
    return { kind: this.#stored ? 'failed' : 'unjudged', code }
  }
}

/** Parses an answer of JetStream; undefined without an answer, or when the answer is no JSON object. */
function answerOf(outcome: RequestOutcome): Answer | undefined {
  if (outcome.kind !== 'reply') return undefined
  const fields = objectOf(Buffer.from(outcome.bytes).toString())
  if (fields === undefined) return undefined
  const error = fieldsOf(fields.get('error'))
  const code = error?.get('err_code') ?? error?.get('code')
  const text = error?.get('description')
  return {
    stream: fields.get('stream'),
    code: typeof code === 'number' ? code : undefined,
    text: typeof text === 'string' ? text : '',
  }
}

function objectOf(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    return fieldsOf(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined
}
