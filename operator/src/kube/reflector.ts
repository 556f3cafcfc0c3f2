import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import { Backoff } from './backoff.ts'
import { listAt, numberAt, textAt, valueAt } from './json-value.ts'
import type { Store, Stored } from './store.ts'
import { type Transport, TransportError } from './transport.ts'

export type ReflectorOptions<T extends Stored> = {
  readonly transport: Transport
  /** Path of the collection. */
  readonly path: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Only metadata is sent: what a Secret holds never comes here. */
  readonly metadataOnly?: boolean
  readonly store: Store<T>
  /** undefined: it can't be read, and is left out. */
  readonly decode: (object: unknown) => T | undefined
  readonly logger: Logger
  readonly timings?: Partial<ReflectorTimings>
}

export type ReflectorTimings = {
  readonly firstBackoffMs: number
  readonly mostBackoffMs: number
  /** The server ends a watch after a random time between these. */
  readonly watchSeconds: readonly [least: number, most: number]
  /** Bookmarks come every minute: longer silence is a dead connection. */
  readonly stallMs: number
}

export type Reflector = { close(): Promise<void> }

const TIMINGS: ReflectorTimings = {
  firstBackoffMs: 800,
  mostBackoffMs: 30_000,
  watchSeconds: [300, 600],
  stallMs: 150_000,
}
const PAGE = 500
const GONE = 410

/** Keeps a store at what the API server has, by list and watch, until it is closed (kubernetes, 5). */
export function startReflector<T extends Stored>(options: ReflectorOptions<T>): Reflector {
  const stop = new AbortController()
  const running = new Reflection(options, stop.signal).run()
  return {
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
  /** Where the watch goes on; undefined: list anew. */
  #resourceVersion: string | undefined

  constructor(options: ReflectorOptions<T>, signal: AbortSignal) {
    this.#options = options
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#signal = signal
    this.#backoff = new Backoff({ firstMs: this.#timings.firstBackoffMs, mostMs: this.#timings.mostBackoffMs })
  }

  /** Never rejects. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const failure = await this.#round()
      if (failure === undefined || this.#signal.aborted) continue
      this.#options.logger.warn({ path: this.#options.path, code: failure }, 'watch failed')
      const ms = this.#backoff.next(Math.random())
      await wait(ms, undefined, { signal: this.#signal, ref: false }).catch(() => undefined)
    }
  }

  /** One list where needed and one watch; the code of a failure, undefined when it may go on at once. */
  async #round(): Promise<string | undefined> {
    try {
      this.#resourceVersion ??= await this.#list()
      return await this.#watch(this.#resourceVersion)
    } catch (error) {
      if (!(error instanceof TransportError || error instanceof ServerRefusal)) throw error
      if (error.code === String(GONE)) this.#resourceVersion = undefined
      return error.code
    }
  }

  async #list(): Promise<string> {
    const { transport, path, store, decode } = this.#options
    const objects: T[] = []
    let token = ''
    let resourceVersion = ''
    do {
      const query = this.#query({ limit: String(PAGE), ...(token === '' ? {} : { continue: token }) })
      const { status, body } = await transport.request({
        method: 'GET',
        path: `${path}?${query}`,
        accept: this.#accept('List'),
      })
      if (status !== 200) throw new ServerRefusal(status)
      for (const item of listAt(body, 'items')) objects.push(...[decode(item)].filter((one) => one !== undefined))
      token = textAt(body, 'metadata', 'continue') ?? ''
      resourceVersion = textAt(body, 'metadata', 'resourceVersion') ?? ''
    } while (token !== '')
    store.replace(objects, resourceVersion)
    return resourceVersion
  }

  async #watch(from: string): Promise<string | undefined> {
    const { transport, path } = this.#options
    const [least, most] = this.#timings.watchSeconds
    const timeoutSeconds = Math.round(least + Math.random() * (most - least))
    const query = this.#query({
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: from,
      timeoutSeconds: String(timeoutSeconds),
    })
    const { status, lines } = await transport.watch(`${path}?${query}`, {
      accept: this.#accept(''),
      stallMs: this.#timings.stallMs,
      signal: this.#signal,
    })
    if (status !== 200) throw new ServerRefusal(status)
    let events = 0
    for await (const line of lines) {
      this.#take(JSON.parse(line))
      events += 1
    }
    return events === 0 ? 'ENDED_AT_ONCE' : undefined
  }

  #take(event: unknown): void {
    const { store, decode } = this.#options
    const object = valueAt(event, 'object')
    const type = textAt(event, 'type')
    if (type === 'ERROR') throw new ServerRefusal(numberAt(object, 'code') ?? 500)
    this.#backoff.reset()
    if (type !== 'BOOKMARK') {
      const decoded = decode(object)
      if (decoded !== undefined && type === 'DELETED') store.delete(decoded)
      else if (decoded !== undefined) store.put(decoded)
    }
    this.#resourceVersion = textAt(object, 'metadata', 'resourceVersion') ?? this.#resourceVersion
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

/** The server answered, and not with what was asked for. */
class ServerRefusal extends Error {
  readonly code: string
  constructor(status: number) {
    super('refused by the API server')
    this.code = String(status)
  }
}
