import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export type ContentWatchOptions = {
  readonly file: string
  /** The content that the file's reader last read; undefined where the file was missing. */
  readonly known: Buffer | undefined
  readonly intervalMs: number
  readonly signal: AbortSignal
  readonly onChange: () => Promise<void>
}

/**
 * Calls `onChange` after each change of a file's content until the signal aborts. The file is read periodically, which
 * finds an editor's rename, a swapped symlink and a plain write alike; files have a few kilobytes.
 */
export async function watchContent(watch: ContentWatchOptions): Promise<void> {
  let known = watch.known
  while (await pause(watch)) {
    const found = await contentOf(watch.file)
    // A file that is being replaced may be missing for a moment.
    if (found === undefined || (known !== undefined && found.equals(known))) continue
    known = found
    await watch.onChange()
  }
}

/** Returns the bytes of a file; undefined where it is unreadable. */
export async function contentOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
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
