import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from './entry.ts'
import type { Layer } from './layers.ts'

/** Writes the layers one over the other into an empty or new folder, from which the Dockerfile copies them. */
export function writeTree(layers: readonly Layer[], folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const entry of layers.flatMap(({ entries }) => entries)) writeEntry(entry, join(folder, entry.path))
}

function writeEntry(entry: Entry, path: string): void {
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
