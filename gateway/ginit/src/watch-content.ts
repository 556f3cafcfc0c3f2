import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
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

/**
 * Calls `onChange` after each change of a file's content until the signal aborts. The file is read periodically, which
 * finds an editor's rename, a swapped symlink and a plain write alike; files have a few kilobytes.
 */
export async function watchContent(watch: ContentWatchOptions): Promise<void> {
  let known = watch.known
  let reported = known.kind === 'unusable' ? known.code : undefined
  while (await pause(watch)) {
    const found = await timelyContent(watch)
    if (found.kind === 'unusable') {
      if (found.code !== reported) watch.onUnusable(found.code)
      reported = found.code
    }
    // A file that is being replaced may be missing for a moment.
    if (found.kind !== 'content') continue
    reported = undefined
    if (known.kind === 'content' && known.digest === found.digest) continue
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
    return { kind: 'content', digest: createHash('sha256').update(reading.bytes).digest('hex') }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { kind: 'missing' }
    throw error
  }
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

async function pause({ intervalMs, signal }: ContentWatchOptions): Promise<boolean> {
  try {
    await delay(intervalMs, undefined, { signal })
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
