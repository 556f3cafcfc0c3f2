import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { CheckPace, type PauseTimes } from './check-pace.ts'
import { directoryIdentity, fileStamp } from './file-stamp.ts'

export type WatchOptions = {
  readonly file: string
  readonly secretsDir?: string
  /**
   * Called one at a time; a result is the milliseconds after which to call again. After a rejection the next call follows
   * the next change.
   */
  readonly check: () => Promise<number | undefined>
  readonly timings?: Partial<WatchTimings>
}

export type WatchTimings = PauseTimes & {
  /** The milliseconds that a change waits for further changes. */
  readonly debounceMs: number
  readonly pollMs: number
  /** The number of polls after which `check` is called and the directories are watched again, even without a change. */
  readonly pollsPerCheck: number
}

export type ConfigWatcher = {
  /** Checks soon, as after a change. */
  nudge(): void
  /** Resolves once no check is running and none will start. */
  close(): Promise<void>
}

const TIMINGS: WatchTimings = {
  debounceMs: 10,
  leastPauseMs: 20,
  mostPauseMs: 500,
  pollMs: 2_000,
  pollsPerCheck: 15,
}
/** A poll of a large folder takes this share of the time at most: one part in twenty. */
const POLL_SHARE = 20

/**
 * Calls `check` when the file or a value in SECRETS_DIR may have changed. Directories are watched, since a rename
 * replaces the file itself. A poll finds changes that a watch misses: a directory created again, a network file system,
 * a full queue.
 */
export function watchConfig(options: WatchOptions): ConfigWatcher {
  return new FileWatcher(options)
}

class FileWatcher implements ConfigWatcher {
  readonly #options: WatchOptions
  readonly #timings: WatchTimings
  readonly #directories: readonly WatchedDirectory[]
  readonly #pace: CheckPace
  #stamp = ''
  #polls = 0
  #pollTimer: NodeJS.Timeout | undefined
  #checkTimer: NodeJS.Timeout | undefined
  #checkAt = Number.POSITIVE_INFINITY
  #polling: Promise<void>
  #checking: Promise<void> | undefined
  /** True where a check became due during the running check. */
  #due = false
  #closed = false

  constructor(options: WatchOptions) {
    this.#options = options
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#pace = new CheckPace(this.#timings)
    this.#directories = watchedPaths(options).map((at) => new WatchedDirectory(at, () => this.nudge()))
    this.#polling = this.#poll()
  }

  nudge(): void {
    this.#checkIn(this.#timings.debounceMs)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#pollTimer)
    clearTimeout(this.#checkTimer)
    await this.#polling
    for (const directory of this.#directories) directory.close()
    await this.#checking
  }

  async #poll(): Promise<void> {
    const begunMs = performance.now()
    const forced = this.#polls++ % this.#timings.pollsPerCheck === 0
    for (const directory of this.#directories) {
      if (await directory.renew(forced)) this.nudge()
    }
    const stamp = await fileStamp(this.#options.file, this.#options.secretsDir)
    if (forced || stamp !== this.#stamp) this.nudge()
    this.#stamp = stamp
    if (this.#closed) return
    const pauseMs = Math.max(this.#timings.pollMs, (performance.now() - begunMs) * (POLL_SHARE - 1))
    this.#pollTimer = setTimeout(() => {
      this.#polling = this.#poll() // never rejects: renew and fileStamp don't
    }, pauseMs)
  }

  /**
   * Schedules a check, not before its turn in the pace. The earlier of two times wins, and a check due during a running
   * one follows it.
   */
  #checkIn(delayMs: number): void {
    const nowMs = performance.now()
    const at = Math.max(nowMs + delayMs, this.#pace.nextMs)
    if (this.#closed || at >= this.#checkAt) return
    this.#checkAt = at
    clearTimeout(this.#checkTimer)
    this.#checkTimer = setTimeout(() => this.#startCheck(), at - nowMs)
  }

  #startCheck(): void {
    this.#checkAt = Number.POSITIVE_INFINITY
    this.#due = this.#checking !== undefined
    if (this.#due || this.#closed) return
    // A check that ended after this one was scheduled has put it off; a timer may be early by part of a millisecond.
    if (performance.now() < this.#pace.nextMs) this.#checkIn(0)
    else this.#checking = this.#check()
  }

  async #check(): Promise<void> {
    const begunMs = performance.now()
    const againInMs = await this.#options.check().catch(() => undefined)
    this.#pace.note(begunMs, performance.now())
    this.#checking = undefined
    if (this.#due) this.#startCheck()
    else if (againInMs !== undefined) this.#checkIn(againInMs)
  }
}

class WatchedDirectory {
  readonly #path: WatchedPath
  readonly #changed: () => void
  #watcher: FSWatcher | undefined
  #identity: string | undefined

  constructor(at: WatchedPath, changed: () => void) {
    this.#path = at
    this.#changed = changed
  }

  /** Watches the current directory; resolves with true where it isn't the formerly watched directory. */
  async renew(forced: boolean): Promise<boolean> {
    const identity = await directoryIdentity(this.#path.path)
    const another = identity !== this.#identity
    if (!another && !forced && this.#watcher !== undefined) return false
    this.close()
    this.#identity = identity
    if (identity !== undefined) this.#watcher = this.#watch()
    return another
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #watch(): FSWatcher | undefined {
    try {
      const watcher = watch(this.#path.path, { persistent: false }, (_event, name) => {
        if (this.#path.concerns(name)) this.#changed()
      })
      watcher.on('error', () => this.close())
      return watcher
    } catch {
      // The directory is gone again, or the watches are used up: the next poll tries again.
      return undefined
    }
  }
}

type WatchedPath = { readonly path: string; concerns(name: string | null): boolean }

/** Ignores other files beside gl_config.json, such as logs; Kubernetes swaps a volume through `..data`. */
function watchedPaths({ file, secretsDir }: WatchOptions): readonly WatchedPath[] {
  const name = basename(file)
  const ofFile: WatchedPath = {
    path: dirname(file),
    concerns: (changed) => changed === null || changed === name || changed.startsWith('..'),
  }
  return secretsDir === undefined ? [ofFile] : [ofFile, { path: secretsDir, concerns: () => true }]
}
