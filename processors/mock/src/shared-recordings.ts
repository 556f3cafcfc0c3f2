import { type KeyValue, type KeyValueEntry, type Logger, withinTime } from '@llm-gateway/sdk'
import { Recorder } from './recorder.ts'
import type { RecordingStore, Recordings } from './recordings.ts'
import { isRouterPath } from './router-path.ts'

export type SharedOptions = {
  /** This process's copy of the bucket, used for all calls, even while the bucket can't be reached. */
  readonly recordings: Recordings
  readonly keyValue: KeyValue
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** The longest wait of the first replays for earlier recordings. A Mock's row has a timeout of 1 s by default. */
const LOAD_MS = 500
/** The limit for pending writes at the program's end. */
const CLOSE_MS = 2_000

/**
 * Makes a store in a bucket of the bus's key-value store; its recordings survive restarts and are the same for all
 * replicas.
 */
export function sharedRecordings({ recordings, keyValue, logger }: SharedOptions): RecordingStore {
  let loaded = false
  let loading: Promise<unknown> | undefined
  const recorder = new Recorder({ keyValue, logger, newer: take })
  const watch = keyValue.watch((router, entry) => {
    // A recording in the queue counts as newer; the recorder takes the entry if its own write has a lower revision.
    if (!recorder.meanwhile(router, entry)) take(router, entry)
  })
  // `ready` never rejects; with an unreachable store it stays pending.
  void watch.ready.then(() => {
    loaded = true
  })

  function take(router: string, entry: KeyValueEntry | undefined): void {
    if (entry === undefined) recordings.delete(router)
    if (entry === undefined || !isRouterPath(router) || !recordings.fits(entry.value.length)) return
    // A copy: the received bytes may be part of a larger buffer, which would stay in memory.
    const left = recordings.set(router, new Uint8Array(entry.value))
    // After loading, only the replica that records deletes: two replicas making room at once would delete each other's
    // newest recording.
    if (!loaded) for (const path of left) recorder.delete(path)
  }

  return {
    longestPrefix: async (path, replayed) => {
      loading ??= withinTime(watch.ready, LOAD_MS)
      if (!loaded) await loading
      return recordings.longestPrefix(path, replayed)
    },
    get: async (router) => {
      const own = recordings.get(router)
      if (own !== undefined) return own
      // Another replica may have chosen a recording that this replica has not received yet.
      const outcome = await keyValue.get(router)
      return outcome.kind === 'found' ? outcome.entry.value : undefined
    },
    set: (router, recording) => {
      if (!recordings.fits(recording.length)) return false
      for (const left of recordings.set(router, recording)) recorder.delete(left)
      recorder.put(router, recording)
      return true
    },
    close: async () => {
      await withinTime(recorder.idle(), CLOSE_MS)
      await watch.close()
    },
  }
}
