import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDependencyFile } from './contents.ts'
import { type Entry, file } from './entry.ts'
import { folderFiles } from './folder-files.ts'
import { productionPackages } from './production-packages.ts'

/** `/app/node_modules` without what only development needs. An addon that wasn't built for this Node stays out. */
export function dependencyLayer(root: string, hasRe2: boolean): readonly Entry[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return productionPackages(packages).flatMap((folder) =>
    folderFiles(join(root, folder))
      .filter(isDependencyFile)
      .filter((path) => hasRe2 || !path.endsWith('.node'))
      .map((path) => file(`app/${folder}/${path}`, () => readFileSync(join(root, folder, path)))),
  )
}
