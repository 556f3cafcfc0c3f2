import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import { Backoff } from './backoff.ts'
import { isObject, listAt, numberAt, textAt, valueAt } from './json-value.ts'
import { PageSize, WHOLE_LIST } from './page-size.ts'
import { parseInTurns } from './parse-in-steps.ts'
import type { AnswerBounds } from './read-answer.ts'
import { decodeMetadata, isOlderVersion, keyOf, type Stored, type StoreWriter } from './store.ts'
import type { Transport } from './transport.ts'
import { TransportError } from './transport-error.ts'
import { createTurns, type Turns } from './turns.ts'

export type ReflectorOptions<T extends Stored> = {
  readonly transport: Pick<Transport, 'request' | 'watch'>
  /** The path of the collection. */
  readonly path: string
  /** The only namespace of the collection; unset: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** True: only metadata is sent, so that contents of Secrets never arrive. */
  readonly metadataOnly?: boolean
  readonly store: StoreWriter<T>
  /** Called with the outcome of each list. The listener decides what a refusal means, so none is logged here. */
  readonly answered?: (how: ListAnswer) => void
  /** Decodes an object; `before` is its known version. undefined: it can't be read, and `before` stays. */
  readonly decode: (object: unknown, before?: T) => T | undefined
  readonly logger: Logger
  readonly timings?: Partial<ReflectorTimings>
}

export type ListAnswer = 'listed' | 'forbidden'

export type ReflectorTimings = {
  readonly firstBackoffMs: number
  readonly mostBackoffMs: number
  /** Range of a watch's lifetime, from which a random time is taken. */
  readonly watchSeconds: readonly [least: number, most: number]
  /** Bookmarks come every minute, so a longer silence means a dead connection. */
  readonly stallMs: number
  /** A watch that lived this long worked, so its end doesn't lengthen the back-off. */
  readonly workedMs: number
}

export type Reflector = {
  /** Resolves when the first list is complete. */
  readonly synced: Promise<void>
  close(): Promise<void>
}

const TIMINGS: ReflectorTimings = {
  firstBackoffMs: 800,
  mostBackoffMs: 30_000,
  watchSeconds: [300, 600],
  stallMs: 150_000,
  workedMs: 2_000,
}
/** Objects that are decoded in one turn of the event loop. */
const DECODED_AT_ONCE = 50
const GONE = 410
const FORBIDDEN = '403'
/** The body timed out: neither an event nor a bookmark came. */
const STALLED = 'UND_ERR_BODY_TIMEOUT'

/**
 * Keeps a store equal to the objects of the API server, by list and watch, until it is closed
 * (docs/reference/kubernetes.md#watches).
 */
export function startReflector<T extends Stored>(options: ReflectorOptions<T>): Reflector {
  const stop = new AbortController()
  const reflection = new Reflection(options, stop.signal)
  const running = reflection.run()
  return {
    synced: reflection.synced,
    close: async () => {
      stop.abort()
      await running
    },
  }
}

class Reflection<T extends Stored> {
  readonly #options: ReflectorOptions<T>
  readonly #timings: ReflectorTimings
  readonly #signal: AbortSignal
  readonly #backoff: Backoff
  readonly #synced = Promise.withResolvers<void>()
  /** The version from which to watch; undefined: list first. */
  #resourceVersion: string | undefined
  /** The newest version seen. A server whose versions are all older was restored from a copy. */
  #newest = ''
  /** False after a list whose pages the server forgot in between: the next list comes in one piece. */
  #paged = true
  readonly #pageSize = new PageSize()
  readonly #turns = createTurns()

  constructor(options: ReflectorOptions<T>, signal: AbortSignal) {
    this.#options = options
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#signal = signal
    this.#backoff = new Backoff({ firstMs: this.#timings.firstBackoffMs, mostMs: this.#timings.mostBackoffMs })
  }

  get synced(): Promise<void> {
    return this.#synced.promise
  }

  /** Never rejects. Every failure is tried again. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const failure = await this.#round()
      if (failure === undefined || this.#signal.aborted) continue
      this.#tell(failure)
      const ms = Math.max(failure.retryAfterMs, this.#backoff.next(Math.random()))
      await wait(ms, undefined, { signal: this.#signal, ref: false }).catch(() => undefined)
    }
  }

  #tell({ code }: Failure): void {
    const { answered, logger, path } = this.#options
    if (code === FORBIDDEN && answered !== undefined) {
      // A right may be missing for days. Once it is granted, a new list shows the changes, and `answered` is called.
      this.#resourceVersion = undefined
      answered('forbidden')
    } else {
      logger.warn({ path, code }, 'watch of the API server failed and is tried again')
    }
  }

  /** Lists if needed, then watches once. Resolves with undefined when the next round may begin at once. */
  async #round(): Promise<Failure | undefined> {
    const afresh = this.#resourceVersion === undefined
    try {
      this.#resourceVersion ??= await this.#list()
      return await this.#watch(this.#resourceVersion)
    } catch (error) {
      if (error instanceof ServerRefusal && error.status === GONE) return this.#startOver(afresh)
      // The server may not know the version to watch from. After a restore from a copy it would never reach that
      // version.
      if (error instanceof ServerRefusal && error.status >= INTERNAL_ERROR) this.#resourceVersion = undefined
      if (error instanceof ServerRefusal) return error
      // A watch from a version that the server doesn't know stays silent.
      if (error instanceof TransportError && error.code === STALLED) this.#resourceVersion = undefined
      return { code: error instanceof TransportError ? error.code : 'INTERNAL', retryAfterMs: 0 }
    }
  }

  /** The server has forgotten our version. The list begins at once, but a repeat has to wait. */
  #startOver(afresh: boolean): Failure | undefined {
    this.#resourceVersion = undefined
    if (!afresh) return undefined
    this.#paged = false
    return { code: String(GONE), retryAfterMs: 0 }
  }

  /** Lists without a resourceVersion, which gives the newest state and never a lagging server's cache. */
  async #list(): Promise<string> {
    const objects: T[] = []
    let token = ''
    let resourceVersion = ''
    do {
      const body = this.#paged ? await this.#page(token) : await this.#whole()
      for (const [index, item] of listAt(body, 'items').entries()) {
        if (index % DECODED_AT_ONCE === 0) await nextTurn()
        const object = this.#decode(item)
        if (object !== undefined) objects.push(object)
      }
      token = textAt(body, 'metadata', 'continue') ?? ''
      resourceVersion = textAt(body, 'metadata', 'resourceVersion') ?? ''
    } while (token !== '')
    this.#paged = true
    this.#signal.throwIfAborted()
    const { store, namespace, logger, path } = this.#options
    if (isOlderVersion(resourceVersion, this.#newest)) {
      logger.warn({ path }, 'the API server returned an older version: all objects are listed again')
      store.restore(objects, namespace)
    } else store.replace(objects, resourceVersion, namespace)
    this.#newest = resourceVersion
    this.#options.answered?.('listed')
    this.#synced.resolve()
    return resourceVersion
  }

  /** Reads a page. A page that is too long is asked for again with fewer objects, from the same token. */
  async #page(token: string): Promise<unknown> {
    for (;;) {
      const limit = String(this.#pageSize.objects)
      try {
        const query = { limit, ...(token === '' ? {} : { continue: token }) }
        const body = await this.#ask(query, this.#pageSize.bounds)
        this.#pageSize.fitted()
        return body
      } catch (error) {
        if (!isTooLong(error) || !this.#pageSize.shrink()) throw error
      }
    }
  }

  /** Reads the list in one piece. A list that is too long is read in pages after all. */
  async #whole(): Promise<unknown> {
    try {
      return await this.#ask({}, WHOLE_LIST)
    } catch (error) {
      if (isTooLong(error)) this.#paged = true
      throw error
    }
  }

  async #ask(parameters: Readonly<Record<string, string>>, bounds: AnswerBounds): Promise<unknown> {
    const { transport, path } = this.#options
    const { status, body, retryAfterMs } = await transport.request({
      method: 'GET',
      path: `${path}?${this.#query(parameters)}`,
      accept: this.#accept('List'),
      signal: this.#signal,
      ...bounds,
    })
    if (status !== 200 || !isObject(body)) throw new ServerRefusal(status, retryAfterMs)
    return body
  }

  async #watch(from: string): Promise<Failure | undefined> {
    const { transport, path } = this.#options
    const [least, most] = this.#timings.watchSeconds
    const timeoutSeconds = Math.round(least + Math.random() * (most - least))
    const query = this.#query({
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: from,
      timeoutSeconds: String(timeoutSeconds),
    })
    const began = performance.now()
    const { status, lines, retryAfterMs } = await transport.watch(`${path}?${query}`, {
      accept: this.#accept(''),
      stallMs: this.#timings.stallMs,
      signal: this.#signal,
    })
    if (status !== 200) {
      for await (const _ of lines); // a body that was read to its end frees its connection
      throw new ServerRefusal(status, retryAfterMs)
    }
    let events = 0
    try {
      for await (const line of lines) {
        this.#take(await eventOf(line, this.#turns))
        events += 1
      }
    } finally {
      if (events > 0 || performance.now() - began >= this.#timings.workedMs) this.#backoff.reset()
    }
    const worked = events > 0 || performance.now() - began >= this.#timings.workedMs
    return worked ? undefined : { code: 'ENDED_AT_ONCE', retryAfterMs: 0 }
  }

  #take(event: unknown): void {
    const { store } = this.#options
    const object = valueAt(event, 'object')
    const type = textAt(event, 'type')
    if (type === 'ERROR') throw refusalIn(object)
    const resourceVersion = textAt(object, 'metadata', 'resourceVersion')
    if (type === 'DELETED') {
      // A deletion needs only metadata, so an unreadable object is deleted, too.
      const gone = decodeMetadata(object)
      if (gone !== undefined) store.delete(gone)
    } else if (type !== 'BOOKMARK') {
      const decoded = this.#decode(object)
      if (decoded !== undefined) store.put(decoded)
    }
    if (resourceVersion !== undefined && isOlderVersion(resourceVersion, this.#newest)) throw new ServerRefusal(GONE, 0)
    this.#resourceVersion = resourceVersion ?? this.#resourceVersion
    this.#newest = resourceVersion ?? this.#newest
  }

  /** An object that can't be read neither hides the others nor counts as deleted. */
  #decode(object: unknown): T | undefined {
    const { decode, store, path, logger } = this.#options
    const [namespace = '', name = ''] = [textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name')]
    const before = store.get(keyOf({ namespace, name }))
    const decoded = attempt(() => decode(object, before))
    if (decoded === undefined || decoded.unreadable !== undefined)
      logger.warn({ path, namespace, name }, 'object could not be read')
    return decoded ?? before
  }

  #query(parameters: Readonly<Record<string, string>>): string {
    const { labelSelector, fieldSelector } = this.#options
    const query = new URLSearchParams(parameters)
    if (labelSelector !== undefined) query.set('labelSelector', labelSelector)
    if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector)
    return String(query)
  }

  #accept(list: 'List' | ''): string {
    const metadata = `application/json;as=PartialObjectMetadata${list};g=meta.k8s.io;v=v1`
    return this.#options.metadataOnly === true ? metadata : 'application/json'
  }
}

type Failure = { readonly code: string; readonly retryAfterMs: number }

/** An unexpected answer of the API server. */
class ServerRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly retryAfterMs: number
  constructor(status: number, retryAfterMs: number) {
    super('refused by the API server')
    this.status = status
    this.code = String(status)
    this.retryAfterMs = retryAfterMs
  }
}

const SECOND_MS = 1_000
const INTERNAL_ERROR = 500

function refusalIn(status: unknown): ServerRefusal {
  const seconds = numberAt(status, 'details', 'retryAfterSeconds') ?? 0
  return new ServerRefusal(numberAt(status, 'code') ?? INTERNAL_ERROR, seconds * SECOND_MS)
}

function isTooLong(error: unknown): boolean {
  return error instanceof TransportError && error.code === 'TOO_LONG'
}

/** Returns undefined where the decoder throws: an object that is nested too deeply exceeds the stack. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Parses the line of an event. A line that isn't JSON was cut off with its connection. */
async function eventOf(line: string, turns: Turns): Promise<unknown> {
  try {
    return await parseInTurns(line, turns)
  } catch (cause) {
    throw new TransportError('UNREADABLE', cause)
  }
}
