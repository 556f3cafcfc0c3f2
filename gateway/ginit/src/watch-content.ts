import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export type ContentWatch = {
  readonly file: string
  /** What the file held when its reader last read it; undefined: it wasn't there. */
  readonly known: Buffer | undefined
  readonly intervalMs: number
  readonly signal: AbortSignal
  readonly changed: () => Promise<void>
}

/**
 * Calls `changed` after each change of a file's content until the signal. It looks again and again: an editor's rename,
 * a symlink that is turned and a plain write are all the same to it, and these files are a few kilobytes.
 */
export async function watchContent(watch: ContentWatch): Promise<void> {
  let known = watch.known
  while (await pause(watch)) {
    const found = await contentOf(watch.file)
    // Gone for a moment is how a file is replaced.
    if (found === undefined || (known !== undefined && found.equals(known))) continue
    known = found
    await watch.changed()
  }
}

/** The bytes of a file; undefined when it can't be read. */
export async function contentOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

async function pause({ intervalMs, signal }: ContentWatch): Promise<boolean> {
  try {
    await delay(intervalMs, undefined, { signal })
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
