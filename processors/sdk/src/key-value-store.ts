import type { KeyValue, ReadOutcome, Watch, WriteOutcome } from './key-value.ts'
import { type LastMessage, lastMessage, OPERATION_HEADER, writeOutcome } from './key-value-answer.ts'
import { type BucketOptions, jsonBytes, KeyValueBucket } from './key-value-bucket.ts'
import { encodeKey } from './key-value-key.ts'
import { watchBucket } from './key-value-watch.ts'

type Headers = Readonly<Record<string, string>>

const NOTHING = new Uint8Array()
const DELETED = { [OPERATION_HEADER]: 'DEL' }

/** A bucket of the bus's key-value store over a link to the bus. */
export class KeyValueStore implements KeyValue {
  readonly #settings: BucketOptions
  readonly #bucket: KeyValueBucket

  constructor(settings: BucketOptions) {
    this.#settings = settings
    this.#bucket = new KeyValueBucket(settings)
    // So that a store that is missing is known and told before the first operation. Never rejects.
    void this.#bucket.ready()
  }

  async get(key: string): Promise<ReadOutcome> {
    const last = await this.#last(key)
    return last.kind === 'deleted' ? { kind: 'missing' } : last
  }

  async put(key: string, value: Uint8Array): Promise<WriteOutcome> {
    return await this.#write(key, value, {})
  }

  async update(key: string, value: Uint8Array, revision: number): Promise<WriteOutcome> {
    const outcome = await this.#write(key, value, expecting(revision))
    if (outcome.kind !== 'conflict' || revision !== 0) return outcome
    const last = await this.#last(key)
    return last.kind === 'deleted' ? await this.#write(key, value, expecting(last.revision)) : outcome
  }

  async delete(key: string): Promise<WriteOutcome> {
    return await this.#write(key, NOTHING, DELETED)
  }

  watch(changed: Parameters<KeyValue['watch']>[0]): Watch {
    const { link, options, logger } = this.#settings
    return watchBucket({ bucket: this.#bucket, link, logger, ttlMs: options.ttlMs, changed })
  }

  async #write(key: string, value: Uint8Array, headers: Headers): Promise<WriteOutcome> {
    const token = encodeKey(key)
    if (token === undefined) return { kind: 'failed', error: 'too large' }
    return writeOutcome(await this.#bucket.ask(this.#bucket.prefix + token, value, headers))
  }

  async #last(key: string): Promise<LastMessage> {
    const token = encodeKey(key)
    if (token === undefined) return { kind: 'missing' }
    const { stream, prefix } = this.#bucket
    // Not the store's direct way to a message: that one says nothing at all where the bucket is gone.
    const body = jsonBytes({ last_by_subj: prefix + token })
    return lastMessage(await this.#bucket.ask(`$JS.API.STREAM.MSG.GET.${stream}`, body))
  }
}

function expecting(revision: number): Headers {
  return { 'Nats-Expected-Last-Subject-Sequence': String(revision) }
}
