import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { takeBuildLock } from '../../re2/build-lock.ts'

const LOOK_AGAIN_MS = 500
const WAIT_MS = 3_600_000

/** Writes a file or folder to the given path; returns the reason when that failed. */
export type WriteFile = (half: string) => Promise<string | undefined>

/**
 * Makes a file or folder once and keeps it. Of several processes one makes it and the others wait; it appears only when
 * complete. Returns the reason when that failed.
 */
export async function makeOnce(place: string, make: WriteFile): Promise<string | undefined> {
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_AGAIN_MS) {
    if (existsSync(place)) return undefined
    const lock = takeBuildLock(`${place}.lock`)
    if (lock === undefined) {
      await pause(LOOK_AGAIN_MS)
      continue
    }
    try {
      return existsSync(place) ? undefined : await makeNow(place, make)
    } finally {
      lock.release()
    }
  }
  return `another process has not finished ${place} within an hour`
}

async function makeNow(place: string, make: WriteFile): Promise<string | undefined> {
  const half = `${place}.half`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(dirname(place), { recursive: true })
  const reason = await make(half)
  if (reason === undefined) renameSync(half, place)
  rmSync(half, { recursive: true, force: true })
  return reason
}
