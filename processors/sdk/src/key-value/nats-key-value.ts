import { headers, type KvEntry, type NatsConnection } from 'nats'
import type { Logger } from '../logger.ts'
import { KeyValueBucket, type OpenBucket } from './bucket.ts'
import { BusLink } from './bus-link.ts'
import {
  encodeKey,
  type KeyValue,
  type KeyValueOptions,
  type ReadOutcome,
  type Watch,
  type WriteOutcome,
} from './key-value.ts'
import { type StoreAnswer, writeOutcome } from './store-answer.ts'
import { watchBucket } from './watch-bucket.ts'

const NOTHING = new Uint8Array()
const DELETED = ['KV-Operation', 'DEL'] as const

/**
 * Opens a bucket of the bus's key-value store with the `nats` package's client. This package adds to the client: keys
 * of any text; outcomes instead of errors, within two seconds and without a connection too; buckets that are made again
 * after the bus lost them, and retries where the bus has no store; the revision of a deletion; watches that notice a
 * new bucket and report entries that ended during a lost connection. The client's own watches would miss entries of a
 * new bucket: they continue after the last revision seen, and a new bucket's revisions begin below it.
 */
export function openNatsKeyValue(connection: NatsConnection, options: KeyValueOptions, logger: Logger): KeyValue {
  const link = new BusLink(connection)
  const bucket = new KeyValueBucket({ link, options, logger, random: Math.random })
  return new NatsKeyValue({ bucket, options, logger })
}

type Settings = { readonly bucket: KeyValueBucket; readonly options: KeyValueOptions; readonly logger: Logger }

class NatsKeyValue implements KeyValue {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
    // Opens the bucket early, so that a missing store is logged before the first operation. `ready` never rejects.
    void settings.bucket.ready()
  }

  async get(key: string): Promise<ReadOutcome> {
    const token = encodeKey(key)
    if (token === undefined) return { kind: 'missing' }
    return readOutcome(await this.#settings.bucket.ask(({ kv }) => kv.get(token)))
  }

  put(key: string, value: Uint8Array): Promise<WriteOutcome> {
    return this.#write(key, ({ kv }, token) => kv.put(token, value))
  }

  update(key: string, value: Uint8Array, revision: number): Promise<WriteOutcome> {
    return this.#write(key, ({ kv }, token) =>
      revision === 0 ? kv.create(token, value) : kv.update(token, value, revision),
    )
  }

  delete(key: string): Promise<WriteOutcome> {
    const { prefix } = this.#settings.bucket
    return this.#write(key, async ({ js }, token) => {
      const fields = headers()
      fields.set(...DELETED)
      return (await js.publish(prefix + token, NOTHING, { headers: fields })).seq
    })
  }

  watch(changed: Parameters<KeyValue['watch']>[0]): Watch {
    const { bucket, options, logger } = this.#settings
    return watchBucket({ bucket, logger, ttlMs: options.ttlMs, changed })
  }

  async #write(key: string, write: (opened: OpenBucket, token: string) => Promise<number>): Promise<WriteOutcome> {
    const token = encodeKey(key)
    if (token === undefined) return { kind: 'failed', error: 'too large' }
    return writeOutcome(await this.#settings.bucket.ask((opened) => write(opened, token)))
  }
}

function readOutcome(answer: StoreAnswer<KvEntry | null>): ReadOutcome {
  if (answer.kind !== 'done') return { kind: 'failed', error: 'unavailable' }
  const entry = answer.value
  if (entry === null || entry.operation !== 'PUT') return { kind: 'missing' }
  const { buffer, byteOffset, byteLength } = entry.value
  return { kind: 'found', entry: { value: Buffer.from(buffer, byteOffset, byteLength), revision: entry.revision } }
}
