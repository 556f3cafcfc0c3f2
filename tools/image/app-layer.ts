import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isAppFile, PACKAGES, TOP_FILES } from './contents.ts'
import { type Entry, file, link } from './entry.ts'
import { folderFiles } from './folder-files.ts'

/** `/app`: our packages as they run in a checkout, and the links by which they import each other. */
export function appLayer(root: string): readonly Entry[] {
  const copied = (path: string) => file(`app/${path}`, () => readFileSync(join(root, path)))
  return [
    ...TOP_FILES.map(copied),
    ...PACKAGES.flatMap((folder) => [
      ...folderFiles(join(root, folder))
        .filter(isAppFile)
        .map((path) => copied(`${folder}/${path}`)),
      packageLink(root, folder),
    ]),
  ]
}

function packageLink(root: string, folder: string): Entry {
  const { name } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const place = `node_modules/${name}`
  return link(`app/${place}`, posix.relative(posix.dirname(place), folder))
}
