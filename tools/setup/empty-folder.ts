import { mkdirSync, rmSync } from 'node:fs'

/** Makes an empty folder, in place of what was there, and returns its path. */
export function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  return path
}
