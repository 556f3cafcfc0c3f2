import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDependencyFile, isNotice, UNBUNDLED } from './contents.ts'
import { type Entry, file } from './entry.ts'
import { folderFiles } from './folder-files.ts'
import { productionPackages } from './production-packages.ts'

const WHOLE: ReadonlySet<string> = new Set(UNBUNDLED.map((name) => `node_modules/${name}`))

/**
 * `/app/node_modules`: the packages that aren't bundled, without what only development needs, and what tells of those that
 * are. An addon that wasn't built for this Node stays out.
 */
export function dependencyLayer(root: string, hasRe2: boolean): readonly Entry[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return productionPackages(packages).flatMap((folder) =>
    folderFiles(join(root, folder))
      .filter(WHOLE.has(folder) ? isDependencyFile : isNotice)
      .filter((path) => hasRe2 || !path.endsWith('.node'))
      .map((path) => file(`app/${folder}/${path}`, () => readFileSync(join(root, folder, path)))),
  )
}
