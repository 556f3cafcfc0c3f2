import { join } from 'node:path'

/** Where the addon and its build lie in a checkout; absolute paths. */
export type Re2Place = {
  /** The package as npm unpacked it. */
  readonly package: string
  /** Where `require('re2')` looks for its addon. */
  readonly installed: string
  /** Outlives `npm ci`, which empties node_modules. */
  readonly cached: string
  /** The copy that is compiled: never node_modules, which others may be reading or replacing. */
  readonly build: string
  readonly lock: string
  readonly log: string
}

/** An addon is for one version of the package and one binary interface of Node (`process.versions.modules`). */
export function re2Place(root: string, version: string, abi: string): Re2Place {
  const folder = join(root, '.tools/re2', `${version}-${abi}`)
  return {
    package: join(root, 'node_modules/re2'),
    installed: join(root, 'node_modules/re2/build/Release/re2.node'),
    cached: join(folder, 're2.node'),
    build: join(folder, 'build'),
    lock: join(folder, 'lock'),
    log: join(folder, 'build.log'),
  }
}
