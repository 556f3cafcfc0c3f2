import { join } from 'node:path'

/** The addon and its build in a checkout; absolute paths. */
export type Re2Paths = {
  /** The package as npm unpacked it. */
  readonly package: string
  /** The path from which `require('re2')` loads its addon. */
  readonly installed: string
  /** Survives `npm ci`, which empties node_modules. */
  readonly cached: string
  /** The copy that is compiled, apart from node_modules, which other processes may be reading or replacing. */
  readonly build: string
  readonly lock: string
  readonly log: string
}

/**
 * Returns the paths of the addon. Each version of the package and each binary interface of Node, `abi`
 * (`process.versions.modules`), has its own cache and build.
 */
export function re2Paths(root: string, version: string, abi: string): Re2Paths {
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
