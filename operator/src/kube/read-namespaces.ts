import { setTimeout as wait } from 'node:timers/promises'
import { decodeMetadata } from './decode.ts'
import type { Reflector } from './reflector.ts'
import { collectionPath } from './resource-path.ts'
import type { Store, Stored } from './store.ts'
import { type Transport, TransportError } from './transport.ts'

export type NamespaceReaderOptions = {
  readonly transport: Pick<Transport, 'request'>
  readonly names: readonly string[]
  readonly store: Store<Stored>
}

/** A Role can grant `get` of its own namespace, and neither list nor watch: labels are read again so often. */
const AGAIN_MS = 30_000
const FAILED_MS = 2_000

/** Keeps the labels of some namespaces, for who may not see them all, until it is closed. */
export function readNamespaces({ transport, names, store }: NamespaceReaderOptions): Reflector {
  const stop = new AbortController()
  const synced = Promise.withResolvers<void>()
  const read = async (name: string): Promise<boolean> => {
    try {
      const { status, body } = await transport.request({
        method: 'GET',
        path: `${collectionPath('Namespace')}/${name}`,
      })
      const stored = status === 200 ? decodeMetadata(body) : undefined
      if (stored !== undefined) store.put(stored)
      const before = store.get(`/${name}`)
      if (status === 404 && before !== undefined) store.delete(before)
      return status === 200 || status === 404
    } catch (error) {
      if (error instanceof TransportError) return false
      throw error
    }
  }
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const done = await Promise.all(names.map(read))
      const complete = done.every((one) => one)
      if (complete) synced.resolve()
      await wait(complete ? AGAIN_MS : FAILED_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    synced: synced.promise,
    close: async () => {
      stop.abort()
      await running
    },
  }
}
