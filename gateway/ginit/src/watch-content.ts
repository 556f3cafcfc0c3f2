import { createHash } from 'node:crypto'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { readRegularFile } from '@llm-gateway/conf'

export type ContentWatchOptions = {
  readonly file: string
  /** The content that the file's reader last read. */
  readonly known: Content
  readonly intervalMs: number
  /** The milliseconds after which a reading that hangs is reported; the watch goes on once the reading ends. */
  readonly readTimeoutMs?: number
  readonly signal: AbortSignal
  readonly onChange: () => Promise<void>
  /** Called once when the file's place is taken by something that can't be a service's file, or when a reading hangs. */
  readonly onUnusable: (code: UnusableCode) => void
  /** Reads the file; another one for tests. */
  readonly read?: (file: string) => Promise<Content>
  /** Waits for so many milliseconds; false after the abort. Another one for tests. */
  readonly wait?: (pauseMs: number, signal: AbortSignal) => Promise<boolean>
}

export type UnusableCode = 'FILE_NOT_READABLE' | 'FILE_TOO_LARGE' | 'TIMEOUT'

/** The digest stands for the bytes, which may be many. */
export type Content =
  | { readonly kind: 'content'; readonly digest: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly code: UnusableCode }

const READ_TIMEOUT_MS = 10_000
/** No program of ours reads a larger file. */
const LARGEST_BYTES = 64 * 1024 * 1024

/** A reading takes a fifth of the time at most: a file of 64 MiB takes longer than the files that are meant. */
const READINGS_PAUSE = 4
const LONGEST_PAUSE_MS = 30_000

/**
 * Calls `onChange` after each change of a file's content until the signal aborts. The file is read periodically, which
 * finds an editor's rename, a swapped symlink and a plain write alike; files have a few kilobytes. While each reading
 * finds a change, the pauses become longer: a program that writes all the time would keep checks and restarts running.
 */
export async function watchContent(watch: ContentWatchOptions): Promise<void> {
  const { intervalMs, signal, wait = pause } = watch
  let known = watch.known
  let reported = known.kind === 'unusable' ? known.code : undefined
  let pauseMs = intervalMs
  while (await wait(Math.min(pauseMs, LONGEST_PAUSE_MS), signal)) {
    const began = performance.now()
    const found = await timelyContent(watch)
    const readingMs = performance.now() - began
    if (found.kind === 'unusable') {
      if (found.code !== reported) watch.onUnusable(found.code)
      reported = found.code
    }
    const isChanged = found.kind === 'content' && !(known.kind === 'content' && known.digest === found.digest)
    pauseMs = Math.max(isChanged ? 2 * pauseMs : intervalMs, READINGS_PAUSE * readingMs)
    // A file that is being replaced may be missing for a moment.
    if (found.kind === 'content') reported = undefined
    if (!isChanged) continue
    known = found
    await watch.onChange()
  }
}

/** Reads the content that a service with this file reads now; never rejects for a file that can't be read. */
export async function contentOf(file: string): Promise<Content> {
  try {
    const reading = await readRegularFile(file, { limitBytes: LARGEST_BYTES })
    if (reading.kind === 'too large') return { kind: 'unusable', code: 'FILE_TOO_LARGE' }
    if (reading.kind === 'not a file') return { kind: 'unusable', code: 'FILE_NOT_READABLE' }
    return { kind: 'content', digest: await digestOf(reading.bytes) }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { kind: 'missing' }
    throw error
  }
}

/** Bytes of one turn: some three milliseconds. A file of 64 MiB in one turn would stop the services' output for 200. */
const TURN_BYTES = 1024 * 1024

async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    if (at > 0) await nextTurn()
    hash.update(bytes.subarray(at, at + TURN_BYTES))
  }
  return hash.digest('hex')
}

/** Reads the file; a reading that hangs, as on a network share, is reported once and waited for until the abort. */
async function timelyContent(watch: ContentWatchOptions): Promise<Content> {
  const { file, readTimeoutMs = READ_TIMEOUT_MS, read = contentOf, onUnusable } = watch
  // A second reading beside the hanging one would take another of the process's four file threads.
  const limit = setTimeout(() => onUnusable('TIMEOUT'), readTimeoutMs).unref()
  try {
    return await read(file)
  } finally {
    clearTimeout(limit)
  }
}

async function pause(pauseMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(pauseMs, undefined, { signal })
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
