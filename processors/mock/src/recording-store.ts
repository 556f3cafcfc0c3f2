import type { Recordings } from './recordings.ts'

/** Where the mock keeps recordings: of this process alone, or shared with its replicas. */
export type RecordingStore = {
  /** As `Recordings.longestPrefix`. */
  longestPrefix(path: string, replayed: string): Promise<string | undefined>
  get(router: string): Promise<Uint8Array | undefined>
  /** False where the recording is too large to be kept; the router's last one stays then. */
  set(router: string, recording: Uint8Array): boolean
  close(): Promise<void>
}

/** Recordings that end with the process. */
export function ownRecordings(recordings: Recordings): RecordingStore {
  return {
    longestPrefix: async (path, replayed) => recordings.longestPrefix(path, replayed),
    get: async (router) => recordings.get(router),
    set: (router, recording) => {
      if (!recordings.fits(recording.length)) return false
      recordings.set(router, recording)
      return true
    },
    close: async () => undefined,
  }
}
