import { entriesOf, errorCode, jsonFields, type StoreCode } from './publish-answer.ts'
import type { RecordConnection } from './record-connection.ts'

/** The outcome of looking for the stream. */
export type StreamOutcome =
  | { readonly kind: 'ready'; readonly maxMessageBytes: number }
  /** This bus stores nothing: it has no JetStream, or forbids the question. */
  | { readonly kind: 'missing'; readonly code: StoreCode }
  /** The bus may store records again soon. */
  | { readonly kind: 'unavailable'; readonly code: StoreCode }

type Bus = Pick<RecordConnection, 'request' | 'servers' | 'jetStream'>

const MIB = 1024 * 1024
const API_TIMEOUT_MS = 5_000
const SECOND_NS = 1_000_000_000
const DAY_NS = 24 * 60 * 60 * SECOND_NS
/** The stream's share of the store that other streams leave free. */
const SHARE = 0.7
const LEAST_BYTES = 16 * MIB
const MAX_BYTES = 64 * 1024 * 1024 * MIB
/** The halving steps between the accepted size and twice that size; the last step is a sixteenth. */
const BISECTIONS = 4

const NOT_FOUND: StoreCode = 'STORE_10059'
const NAME_IN_USE: StoreCode = 'STORE_10058'
/** JetStream is off for the server or the account. */
const NO_JETSTREAM: ReadonlySet<StoreCode> = new Set(['STORE_10039', 'STORE_10076', 'STORE_10035'])
/** The store has less room than requested; in a cluster, no server has enough. */
const NO_ROOM: ReadonlySet<StoreCode> = new Set(['STORE_10005', 'STORE_10023', 'STORE_10047'])

/**
 * Returns the stream's name: `records_llm` for the subject `llm.gl.logger`, the whole subject for any other
 * (docs/reference/kept-records.md#stream).
 */
function streamNameOf(subject: string): string {
  const prefix = subject.endsWith('.gl.logger') ? subject.slice(0, -'.gl.logger'.length) : subject
  return `records_${prefix.replaceAll(/[^\w-]/g, '_')}`
}

/** The stream of records on a bus, created where it is missing. */
export class RecordStream {
  readonly name: string
  readonly #subject: string
  readonly #maxBytes: number

  /** `maxBytes` is the most bytes of one record with its headers. */
  constructor(subject: string, maxBytes: number) {
    this.name = streamNameOf(subject)
    this.#subject = subject
    this.#maxBytes = maxBytes
  }

  /** Finds or creates the stream; never rejects. */
  async ensure(bus: Bus): Promise<StreamOutcome> {
    const stream = await this.#request(bus, 'INFO')
    if (stream.kind !== 'refused') return stream
    if (stream.code !== NOT_FOUND) return refusal(stream.code)
    const created = await this.#create(bus)
    return created.kind === 'refused' ? refusal(created.code) : created
  }

  /**
   * Creates the stream as large as the store allows, then reduces it to 70 %: a bus doesn't report how much room it has
   * left.
   */
  async #create(bus: Bus): Promise<StreamAnswer> {
    let bytes = MAX_BYTES
    let created = await this.#request(bus, 'CREATE', bytes)
    while (lacksRoom(created) && bytes > LEAST_BYTES) {
      bytes /= 2
      created = await this.#request(bus, 'CREATE', bytes)
    }
    // Another client created the stream meanwhile.
    if (created.kind === 'refused' && created.code === NAME_IN_USE) return this.#request(bus, 'INFO')
    if (created.kind !== 'ready') return created
    let step = bytes / 2
    for (let count = 0; count < BISECTIONS; count += 1) {
      const more = await this.#request(bus, 'UPDATE', bytes + step)
      if (more.kind === 'ready') bytes += step
      else if (!lacksRoom(more)) break
      step /= 2
    }
    const cut = await this.#request(bus, 'UPDATE', Math.floor(bytes * SHARE))
    // A client that may create the stream but not update it keeps the created size.
    return cut.kind === 'ready' ? cut : this.#request(bus, 'INFO')
  }

  async #request(bus: Bus, verb: 'INFO' | 'CREATE' | 'UPDATE', maxBytes?: number): Promise<StreamAnswer> {
    const body = maxBytes === undefined ? '' : JSON.stringify(this.#config(bus, maxBytes))
    const answer = await bus.request(`$JS.API.STREAM.${verb}.${this.name}`, body, API_TIMEOUT_MS)
    switch (answer.kind) {
      case 'no responders':
        return { kind: 'missing', code: 'NO_STREAM' }
      case 'not allowed':
        return { kind: 'missing', code: 'NOT_ALLOWED' }
      case 'timeout':
        // A subscriber to all subjects receives the question too: a server without JetStream then sends no answer at
        // all.
        return { kind: bus.jetStream ? 'unavailable' : 'missing', code: 'NO_ANSWER' }
      case 'answered':
        return readAnswer(answer.text)
      default:
        return answer satisfies never
    }
  }

  #config({ servers }: Bus, maxBytes: number): object {
    return {
      name: this.name,
      subjects: [this.#subject],
      retention: 'limits',
      storage: 'file',
      discard: 'old',
      max_age: 7 * DAY_NS,
      max_bytes: maxBytes,
      max_msgs: -1,
      max_consumers: -1,
      max_msg_size: this.#maxBytes,
      duplicate_window: 600 * SECOND_NS,
      deny_delete: true,
      deny_purge: true,
      num_replicas: servers >= 3 ? 3 : 1,
    }
  }
}

type StreamAnswer = StreamOutcome | { readonly kind: 'refused'; readonly code: StoreCode }

function lacksRoom(created: StreamAnswer): boolean {
  return created.kind === 'refused' && NO_ROOM.has(created.code)
}

function refusal(code: StoreCode): StreamOutcome {
  return { kind: NO_JETSTREAM.has(code) ? 'missing' : 'unavailable', code }
}

function readAnswer(text: string): StreamAnswer {
  const fields = jsonFields(text)
  const code = errorCode(fields)
  if (code !== undefined) return { kind: 'refused', code }
  const config = entriesOf(fields?.get('config'))
  if (config === undefined) return { kind: 'refused', code: 'ODD_ANSWER' }
  const limit = config.get('max_msg_size')
  return { kind: 'ready', maxMessageBytes: typeof limit === 'number' && limit > 0 ? limit : Number.POSITIVE_INFINITY }
}
