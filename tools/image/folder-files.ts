import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the regular files below a folder, relative to it, sorted, without node_modules and symbolic links. */
export function folderFiles(folder: string, below = ''): readonly string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : folderFiles(folder, path)
      return entry.isFile() ? [path] : []
    })
    .toSorted()
}
