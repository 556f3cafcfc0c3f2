import { type KeyValue, type KeyValueEntry, type Logger, withinTime } from '@llm-gateway/sdk'
import { Recorder } from './recorder.ts'
import type { RecordingStore, Recordings } from './recordings.ts'
import { isRouterPath } from './router-path.ts'

export type SharedOptions = {
  /** What this process holds of the bucket: calls are answered from it, and it goes on where the bucket can't be reached. */
  readonly recordings: Recordings
  readonly keyValue: KeyValue
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** How long the first replays may wait for what was recorded before this process started: their row has 1 s. */
const LOAD_MS = 500
/** How long writes may take to end when the program does. */
const CLOSE_MS = 2_000

/** Recordings in a bucket of the bus's key-value store: kept across restarts, the same for all replicas. */
export function sharedRecordings({ recordings, keyValue, logger }: SharedOptions): RecordingStore {
  let loaded = false
  let loading: Promise<unknown> | undefined
  const recorder = new Recorder({ keyValue, logger, newer: take })
  const watch = keyValue.watch((router, entry) => {
    // What is being written here is newer, unless its outcome says otherwise.
    if (!recorder.meanwhile(router, entry)) take(router, entry)
  })
  // Never rejects; a store that can't be reached just isn't loaded.
  void watch.ready.then(() => {
    loaded = true
  })

  function take(router: string, entry: KeyValueEntry | undefined): void {
    if (entry === undefined) recordings.delete(router)
    if (entry === undefined || !isRouterPath(router) || !recordings.fits(entry.value.length)) return
    // A copy: the bytes that came may be a part of a larger buffer that would live as long.
    const left = recordings.set(router, new Uint8Array(entry.value))
    // Later on, who recorded deletes: two replicas that make room at the same time would delete each other's newest.
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
      // Chosen by a replica that heard of it earlier.
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
