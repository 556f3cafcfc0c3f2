import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import { Backoff } from './backoff.ts'
import { isObject, listAt, numberAt, textAt, valueAt } from './json-value.ts'
import { decodeMetadata, isOlderVersion, keyOf, type Sink, type Stored } from './store.ts'
import { type KubeAnswer, type Transport, TransportError } from './transport.ts'

export type ReflectorOptions<T extends Stored> = {
  readonly transport: Pick<Transport, 'request' | 'watch'>
  /** Path of the collection. */
  readonly path: string
  /** The collection is this one's alone; left out: all namespaces'. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Only metadata is sent: what a Secret holds never comes here. */
  readonly metadataOnly?: boolean
  readonly store: Sink<T>
  /** Told how a list ended. Who is told says what a refusal means, so it is not logged here. */
  readonly answered?: (how: ListAnswer) => void
  /** `before`: what is known of it. undefined: it can't be read, and what is known of it stays. */
  readonly decode: (object: unknown, before?: T) => T | undefined
  readonly logger: Logger
  readonly timings?: Partial<ReflectorTimings>
}

export type ListAnswer = 'listed' | 'forbidden'

export type ReflectorTimings = {
  readonly firstBackoffMs: number
  readonly mostBackoffMs: number
  /** The server ends a watch after a random time between these. */
  readonly watchSeconds: readonly [least: number, most: number]
  /** Bookmarks come every minute: longer silence is a dead connection. */
  readonly stallMs: number
  /** A watch that lived so long worked: what ends it is no reason to come back later and later. */
  readonly workedMs: number
}

export type Reflector = {
  /** The first list is complete. */
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
/** 5,000 Routers are ten pages: neither side holds all of them as one text. */
const PAGE = 500
const GONE = 410
const FORBIDDEN = '403'
/** The body's time is over: neither an event nor a bookmark came. */
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
  /** Where the watch goes on; undefined: list anew. */
  #resourceVersion: string | undefined
  /** The newest that was seen. A server that has only older ones was restored from a copy. */
  #newest = ''
  /** A list whose pages outlived what the server remembers is asked for in one piece. */
  #paged = true

  constructor(options: ReflectorOptions<T>, signal: AbortSignal) {
    this.#options = options
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#signal = signal
    this.#backoff = new Backoff({ firstMs: this.#timings.firstBackoffMs, mostMs: this.#timings.mostBackoffMs })
  }

  get synced(): Promise<void> {
    return this.#synced.promise
  }

  /** Never rejects: whatever fails is tried again. */
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
      // A right may be away for days: what went on meanwhile is seen in a list, and who waits for it is told.
      this.#resourceVersion = undefined
      answered('forbidden')
    } else {
      logger.warn({ path, code }, 'watch failed')
    }
  }

  /** One list where needed and one watch; undefined when it may go on at once. */
  async #round(): Promise<Failure | undefined> {
    const afresh = this.#resourceVersion === undefined
    try {
      this.#resourceVersion ??= await this.#list()
      return await this.#watch(this.#resourceVersion)
    } catch (error) {
      if (error instanceof ServerRefusal && error.status === GONE) return this.#startOver(afresh)
      // It may not know the version from which it is to watch: restored from a copy it never comes to it.
      if (error instanceof ServerRefusal && error.status >= INTERNAL_ERROR) this.#resourceVersion = undefined
      if (error instanceof ServerRefusal) return error
      // A watch from such a version is silent.
      if (error instanceof TransportError && error.code === STALLED) this.#resourceVersion = undefined
      return { code: error instanceof TransportError ? error.code : 'INTERNAL', retryAfterMs: 0 }
    }
  }

  /** What we knew is forgotten there: listed anew at once, but not again and again. */
  #startOver(afresh: boolean): Failure | undefined {
    this.#resourceVersion = undefined
    if (!afresh) return undefined
    this.#paged = false
    return { code: String(GONE), retryAfterMs: 0 }
  }

  /** Without a resourceVersion: the newest there is, never what a server that lags has cached. */
  async #list(): Promise<string> {
    const objects: T[] = []
    let token = ''
    let resourceVersion = ''
    do {
      const page: Record<string, string> = this.#paged ? { limit: String(PAGE) } : {}
      const { status, body, retryAfterMs } = await this.#ask({ ...page, ...(token === '' ? {} : { continue: token }) })
      if (status !== 200 || !isObject(body)) throw new ServerRefusal(status, retryAfterMs)
      for (const item of listAt(body, 'items')) {
        const object = this.#decode(item)
        if (object !== undefined) objects.push(object)
      }
      token = textAt(body, 'metadata', 'continue') ?? ''
      resourceVersion = textAt(body, 'metadata', 'resourceVersion') ?? ''
    } while (token !== '')
    this.#paged = true
    const { store, namespace, logger, path } = this.#options
    if (isOlderVersion(resourceVersion, this.#newest)) {
      logger.warn({ path }, 'the API server went back in time: everything is taken anew')
      store.restore(objects, namespace)
    } else store.replace(objects, resourceVersion, namespace)
    this.#newest = resourceVersion
    this.#options.answered?.('listed')
    this.#synced.resolve()
    return resourceVersion
  }

  #ask(parameters: Readonly<Record<string, string>>): Promise<KubeAnswer> {
    const { transport, path } = this.#options
    return transport.request({
      method: 'GET',
      path: `${path}?${this.#query(parameters)}`,
      accept: this.#accept('List'),
      signal: this.#signal,
    })
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
      for await (const _ of lines); // its connection is free again when it was read
      throw new ServerRefusal(status, retryAfterMs)
    }
    let events = 0
    try {
      for await (const line of lines) {
        this.#take(line)
        events += 1
      }
    } finally {
      if (events > 0 || performance.now() - began >= this.#timings.workedMs) this.#backoff.reset()
    }
    const worked = events > 0 || performance.now() - began >= this.#timings.workedMs
    return worked ? undefined : { code: 'ENDED_AT_ONCE', retryAfterMs: 0 }
  }

  #take(line: string): void {
    const { store } = this.#options
    const event = eventOf(line)
    const object = valueAt(event, 'object')
    const type = textAt(event, 'type')
    if (type === 'ERROR') throw refusalIn(object)
    const resourceVersion = textAt(object, 'metadata', 'resourceVersion')
    if (type === 'DELETED') {
      // Only deletion frees what an object holds, and nothing of it has to be read for that.
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

  /** One that can't be read must neither keep the others from being seen nor count as deleted. */
  #decode(object: unknown): T | undefined {
    const { decode, store, path, logger } = this.#options
    const [namespace = '', name = ''] = [textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name')]
    const before = store.get(keyOf({ namespace, name }))
    const decoded = decode(object, before)
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

/** The server answered, and not with what was asked for. */
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

/** Half a line is the end of a connection that was cut. */
function eventOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new TransportError('UNREADABLE', cause)
  }
}
