import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from './entry.ts'

/** Writes the entries below a folder that is empty or not there; the Dockerfile's build takes them from it. */
export function writeTree(entries: readonly Entry[], folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const entry of entries) {
    const path = join(folder, entry.path)
    switch (entry.kind) {
      case 'directory':
        mkdirSync(path, { recursive: true })
        chmodSync(path, entry.mode)
        break
      case 'file':
        writeFileSync(path, entry.read())
        chmodSync(path, entry.mode)
        break
      case 'link':
        symlinkSync(entry.target, path)
        break
      default:
        entry satisfies never
    }
  }
}
