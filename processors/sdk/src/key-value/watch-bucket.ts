import type { Logger } from '../logger.ts'
import type { KeyValueBucket } from './bucket.ts'
import { type BucketChange, BucketFollower } from './bucket-follower.ts'
import { decodeKey, type KeyValueEntry, type Watch } from './key-value.ts'
import { WatchedKeys } from './watched-keys.ts'

export type WatchOptions = {
  readonly bucket: KeyValueBucket
  readonly logger: Logger
  readonly ttlMs: number | undefined
  readonly changed: (key: string, entry: KeyValueEntry | undefined) => void
}

const AGAIN_MS = 500

/** Follows a bucket until the watch is closed. After each loss all entries are reported again. */
export function watchBucket(options: WatchOptions): Watch {
  return new BucketWatch(options)
}

class BucketWatch implements Watch {
  readonly ready: Promise<void>
  readonly #options: WatchOptions
  readonly #keys: WatchedKeys
  readonly #stopListening: () => void
  readonly #resolveReady: () => void
  #follower: BucketFollower | undefined
  #again: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: WatchOptions) {
    this.#options = options
    this.#keys = new WatchedKeys((key, entry) => this.#report(key, entry), options.ttlMs)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ready = promise
    this.#resolveReady = resolve
    this.#stopListening = options.bucket.listen(() => this.#bucketChanged())
    if (options.bucket.isOpen) this.#follow()
    // `ready` calls the listeners and never rejects.
    else void options.bucket.ready()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopListening()
    this.#stopFollowing()
    this.#keys.close()
    this.#resolveReady()
  }

  #bucketChanged(): void {
    const { isOpen, isGone } = this.#options.bucket
    if (isGone) this.#resolveReady()
    // The opened bucket may be a new bucket with the same name.
    this.#stopFollowing()
    if (isOpen) this.#follow()
  }

  #follow(): void {
    if (this.#closed || this.#follower !== undefined) return
    const { bucket } = this.#options
    this.#keys.begin()
    this.#follower = new BucketFollower({
      bucket,
      receive: (change) => this.#receive(change),
      complete: () => {
        this.#keys.end()
        this.#resolveReady()
      },
      ended: () => {
        this.#follower = undefined
        this.#again = setTimeout(() => {
          if (bucket.isOpen) this.#follow()
        }, AGAIN_MS).unref()
      },
    })
  }

  #stopFollowing(): void {
    clearTimeout(this.#again)
    this.#follower?.close()
    this.#follower = undefined
  }

  #receive({ token, kind, entry, written }: BucketChange): void {
    const key = decodeKey(token)
    if (key === undefined) return
    if (kind === 'deleted') this.#keys.remove(key)
    else this.#keys.set(key, entry, written)
  }

  /** Catches exceptions of `changed`: they would end the client's reading of the connection. */
  #report(key: string, entry: KeyValueEntry | undefined): void {
    try {
      this.#options.changed(key, entry)
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown'
      this.#options.logger.error({ bucket: this.#options.bucket.name, name }, 'change of a key could not be processed')
    }
  }
}
