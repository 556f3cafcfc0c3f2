import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDependencyFile, isNotice, UNBUNDLED } from './contents.ts'
import { type Entry, file } from './entry.ts'
import { folderFiles } from './folder-files.ts'
import { productionPackages } from './production-packages.ts'

const WHOLE: ReadonlySet<string> = new Set(UNBUNDLED.map((name) => `node_modules/${name}`))

const ADDON = 'app/node_modules/re2/build/Release/re2.node'

/**
 * `/app/node_modules`: the packages that aren't bundled, without what only development needs, and what tells of those that
 * are. `re2` is the addon of the platform, where there is one.
 */
export function dependencyLayer(root: string, re2: string | undefined): readonly Entry[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const files = productionPackages(packages).flatMap((folder) =>
    folderFiles(join(root, folder))
      .filter(WHOLE.has(folder) ? isDependencyFile : isNotice)
      .map((path) => file(`app/${folder}/${path}`, () => readFileSync(join(root, folder, path)))),
  )
  return re2 === undefined ? files : [...files, file(ADDON, () => readFileSync(re2))]
}
