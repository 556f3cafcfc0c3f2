import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { buildPrograms } from './bundle/build-programs.ts'
import { BUNDLE_FOLDER, bundlePlan } from './bundle/bundle-plan.ts'
import { isAppFile, PACKAGES, PAGE_FOLDER, SDK_PACKAGES, SHIPPED_CONFIGURATION, TOP_FILES } from './contents.ts'
import { type Entry, file, link } from './entry.ts'
import { folderFiles } from './folder-files.ts'

/**
 * Returns the layer `/app`: files that our packages read, their programs as bundles, and links to the bundles at the
 * paths that the programs have in a checkout, by which ginit_config.json and pods start them.
 */
export async function appLayer(root: string): Promise<readonly Entry[]> {
  const copied = (path: string) => file(`app/${path}`, () => readFileSync(join(root, path)))
  const plan = bundlePlan(root)
  const bundles = await buildPrograms(root, plan)
  return [
    ...TOP_FILES.map(copied),
    ...PACKAGES.flatMap((folder) =>
      folderFiles(join(root, folder))
        .filter(isAppFile)
        .map((path) => copied(`${folder}/${path}`)),
    ),
    ...SHIPPED_CONFIGURATION.flatMap(({ folder, path }) =>
      folderFiles(join(root, folder))
        .filter((name) => isAppFile(name) && name !== 'package.json')
        .map((name) => file(`app/${path}/${name}`, () => readFileSync(join(root, folder, name)))),
    ),
    ...folderFiles(join(root, PAGE_FOLDER)).map((path) => copied(`${PAGE_FOLDER}/${path}`)),
    ...bundles.map(({ name, content }) => file(`app/${BUNDLE_FOLDER}/${name}`, () => content)),
    ...plan
      .filter(({ isEntryPoint }) => isEntryPoint)
      .map(({ source, name }) => linkTo(source, `${BUNDLE_FOLDER}/${name}.mjs`)),
    ...SDK_PACKAGES.map((folder) => linkTo(`node_modules/${packageName(root, folder)}`, folder)),
  ]
}

function packageName(root: string, folder: string): string {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).name
}

/** Returns a link; both paths are relative to `app`. */
function linkTo(place: string, target: string): Entry {
  return link(`app/${place}`, posix.relative(posix.dirname(place), target))
}
