import { setTimeout as wait } from 'node:timers/promises'
import {
  Backoff,
  collectionPath,
  type ListAnswer,
  type Reflector,
  type ReflectorTimings,
  type Stored,
  type StoreWriter,
  type Transport,
  TransportError,
} from '@llm-gateway/kube'
import { decodeNamespace } from './decode-lean.ts'

export type NamespaceReaderOptions = {
  readonly transport: Pick<Transport, 'request'>
  readonly name: string
  readonly store: StoreWriter<Stored>
  /**
   * Called with `listed` after each successful read, also of a namespace that doesn't exist, and with `forbidden` after
   * a 403. Other failures are tried again without a call.
   */
  readonly answered: (how: ListAnswer) => void
  readonly timings?: Partial<Pick<ReflectorTimings, 'firstBackoffMs' | 'mostBackoffMs'>>
}

/**
 * A Role can grant `get` of its own namespace and neither list nor watch, so labels are read again at this interval.
 */
const AGAIN_MS = 30_000
const FIRST_BACKOFF_MS = 800
const MAX_BACKOFF_MS = 30_000

/** Keeps the labels of a namespace up to date until closed, for an operator that may not list all namespaces. */
export function readNamespace(options: NamespaceReaderOptions): Pick<Reflector, 'close'> {
  const { transport, name, store, answered, timings = {} } = options
  const { firstBackoffMs = FIRST_BACKOFF_MS, mostBackoffMs = MAX_BACKOFF_MS } = timings
  const stop = new AbortController()
  const backoff = new Backoff({ firstMs: firstBackoffMs, mostMs: mostBackoffMs })
  const path = `${collectionPath('Namespace')}/${name}`
  let known: Stored | undefined
  const read = async (): Promise<boolean> => {
    try {
      const { status, body } = await transport.request({ method: 'GET', path, signal: stop.signal })
      if (status === 403) answered('forbidden')
      if (status !== 200 && status !== 404) return false
      const found = status === 200 ? decodeNamespace(body) : undefined
      if (found !== undefined) store.put(found)
      if (status === 404 && known !== undefined) store.delete(known)
      known = found ?? known
      answered('listed')
      return true
    } catch (error) {
      if (error instanceof TransportError) return false
      throw error
    }
  }
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const done = await read()
      if (done) backoff.reset()
      const ms = done ? AGAIN_MS : backoff.next(Math.random())
      await wait(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    close: async () => {
      stop.abort()
      await running
    },
  }
}
