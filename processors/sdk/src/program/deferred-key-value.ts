import type { BusClient } from '../bus/bus.ts'
import type { KeyValue, KeyValueOptions, Watch } from '../key-value/key-value.ts'

/** Opens buckets before the bus is connected. Until then their operations are `unavailable` and their watches wait. */
export class DeferredKeyValues {
  readonly #waiting: DeferredKeyValue[] = []
  #bus: Pick<BusClient, 'keyValue'> | undefined

  open(options: KeyValueOptions): KeyValue {
    if (this.#bus !== undefined) return this.#bus.keyValue(options)
    const late = new DeferredKeyValue(options)
    this.#waiting.push(late)
    return late
  }

  connected(bus: Pick<BusClient, 'keyValue'>): void {
    this.#bus = bus
    for (const late of this.#waiting.splice(0)) late.connected(bus)
  }
}

class DeferredKeyValue implements KeyValue {
  readonly #options: KeyValueOptions
  readonly #watches = new Set<DeferredWatch>()
  #store: KeyValue = unavailableKeyValue
  #isConnected = false

  constructor(options: KeyValueOptions) {
    this.#options = options
  }

  connected(bus: Pick<BusClient, 'keyValue'>): void {
    this.#store = bus.keyValue(this.#options)
    this.#isConnected = true
    for (const watch of this.#watches) watch.start(this.#store)
    this.#watches.clear()
  }

  get: KeyValue['get'] = (key) => this.#store.get(key)
  put: KeyValue['put'] = (key, value) => this.#store.put(key, value)
  update: KeyValue['update'] = (key, value, revision) => this.#store.update(key, value, revision)
  delete: KeyValue['delete'] = (key) => this.#store.delete(key)

  watch(changed: Parameters<KeyValue['watch']>[0]): Watch {
    if (this.#isConnected) return this.#store.watch(changed)
    const watch = new DeferredWatch(changed, () => this.#watches.delete(watch))
    this.#watches.add(watch)
    return watch
  }
}

class DeferredWatch implements Watch {
  readonly ready: Promise<void>
  readonly #changed: Parameters<KeyValue['watch']>[0]
  readonly #forget: () => void
  readonly #resolveReady: () => void
  #watch: Watch | undefined

  constructor(changed: Parameters<KeyValue['watch']>[0], forget: () => void) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ready = promise
    this.#resolveReady = resolve
    this.#changed = changed
    this.#forget = forget
  }

  start(store: KeyValue): void {
    this.#watch = store.watch(this.#changed)
    // `ready` of a watch never rejects.
    void this.#watch.ready.then(this.#resolveReady)
  }

  async close(): Promise<void> {
    this.#forget()
    await this.#watch?.close()
    this.#resolveReady()
  }
}

const UNAVAILABLE = { kind: 'failed', error: 'unavailable' } as const

/** A bucket without a bus: reads and writes fail, and a watch reports no entry. */
export const unavailableKeyValue: KeyValue = {
  get: async () => UNAVAILABLE,
  put: async () => UNAVAILABLE,
  update: async () => UNAVAILABLE,
  delete: async () => UNAVAILABLE,
  watch: () => ({ ready: Promise.resolve(), close: async () => undefined }),
}
