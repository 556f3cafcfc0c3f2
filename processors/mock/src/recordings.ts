import { MAX_ROUTER_PATH_BYTES } from './router-path.ts'

/** Limits on the recordings. */
export type RecordingLimits = {
  /** The number of recordings. */
  readonly recordings: number
  /** The bytes of one recording. */
  readonly recordingBytes: number
  /** The bytes of all recordings. */
  readonly totalBytes: number
}

/** Encoded recordings by router path, the least recently recorded first. */
export class Recordings {
  readonly #limits: RecordingLimits
  readonly #kept = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(limits: RecordingLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#kept.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Returns whether a recording may have this size. */
  fits(bytes: number): boolean {
    return bytes <= Math.min(this.#limits.recordingBytes, this.#limits.totalBytes)
  }

  get(router: string): Uint8Array | undefined {
    return this.#kept.get(router)
  }

  /** Replaces the router's recording with one that fits; returns the routers whose recordings were displaced. */
  set(router: string, recording: Uint8Array): readonly string[] {
    this.delete(router)
    this.#kept.set(router, recording)
    this.#bytes += recording.length
    const left: string[] = []
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#limits.recordings && this.#bytes <= this.#limits.totalBytes) break
      this.delete(oldest)
      left.push(oldest)
    }
    return left
  }

  delete(router: string): void {
    this.#bytes -= this.#kept.get(router)?.length ?? 0
    this.#kept.delete(router)
  }

  /**
   * Returns the longest recorded router path that `path` begins with and that itself begins with `replayed`. Shorter
   * paths are excluded, because a caller of the replay router of `/a/b/` may lack the key of `/a/`.
   */
  longestPrefix(path: string, replayed: string): string | undefined {
    // The gateway answers 404 to a router's path without its last slash, even when a shorter router would match.
    if (!path.endsWith('/') && this.#kept.has(`${path}/`)) return undefined
    const first = Math.min(path.length - 1, MAX_ROUTER_PATH_BYTES - 1)
    for (let at = path.lastIndexOf('/', first); at >= replayed.length - 1; at = path.lastIndexOf('/', at - 1)) {
      const router = path.slice(0, at + 1)
      if (this.#kept.has(router)) return router
      if (at === 0) return undefined
    }
    return undefined
  }
}

/** The store of the recordings: of this process alone, or shared with its replicas. */
export type RecordingStore = {
  /** Returns the path that `Recordings.longestPrefix` returns. */
  longestPrefix(path: string, replayed: string): Promise<string | undefined>
  get(router: string): Promise<Uint8Array | undefined>
  /** Returns false when the recording is too large; the router then keeps its last recording. */
  set(router: string, recording: Uint8Array): boolean
  close(): Promise<void>
}

/** Makes a store whose recordings end with the process. */
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
