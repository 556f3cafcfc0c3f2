import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianPackage, fetchPackages } from '../debian/fetch-packages.ts'
import { readPins } from '../debian/pinned-package.ts'
import { folderFiles } from '../folder-files.ts'
import { natsServer } from './nats-server.ts'
import { nodePackage } from './node-package.ts'
import type { ImageBuild, Part } from './part.ts'
import type { Platform } from './platform.ts'
import { re2Addon } from './re2-addon.ts'

/** Foreign parts of an image for one platform: folders, and re2's addon as a file. */
export type Parts = {
  readonly platform: Platform
  readonly node: string
  readonly natsServer: string
  readonly packages: readonly DebianPackage[]
  /** Undefined: the regex processor can't run in this image. */
  readonly re2: string | undefined
}
export type PartsOutcome =
  | { readonly kind: 'ready'; readonly parts: Parts }
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Gets or makes the parts. An image without re2 is no release. */
export async function gatherParts(imageBuild: ImageBuild, platform: Platform): Promise<PartsOutcome> {
  const { architecture } = platform
  const node = await nodePackage(imageBuild, platform)
  if (node.kind === 'unavailable') return node
  const server = await natsServer(imageBuild, platform)
  if (server.kind === 'unavailable') return server
  const pins = readPins(imageBuild.root)[architecture] ?? []
  const debian = await fetchPackages({ pins, architecture, imageBuild })
  if (debian.kind === 'unavailable') return debian
  const { packages } = debian
  const re2 = loadable(await re2Addon({ imageBuild, platform, node: node.path }), packages)
  if (re2.kind === 'unavailable') {
    if (imageBuild.isRelease) return { kind: 'unavailable', reason: `re2: ${re2.reason}` }
    imageBuild.say(`image: linux/${architecture} has no re2, so its regex processor can't run: ${re2.reason}`)
  }
  const addon = re2.kind === 'ready' ? re2.path : undefined
  return { kind: 'ready', parts: { platform, node: node.path, natsServer: server.path, packages, re2: addon } }
}

function loadable(addon: Part, packages: readonly DebianPackage[]): Part {
  if (addon.kind === 'unavailable') return addon
  const libraries = packages.flatMap(({ folder }) =>
    folderFiles(join(folder, 'files'))
      .filter((path) => /\.so\.\d/.test(path))
      .map((path) => readFileSync(join(folder, 'files', path))),
  )
  const lacking = missingSymbolVersions(readFileSync(addon.path), libraries)
  const reason = `it was built on a machine with newer libraries (${lacking.join(', ')})`
  return lacking.length === 0 ? addon : { kind: 'unavailable', reason }
}

/** Matches versions of symbols, which tell the minimum versions of libraries. */
const VERSION = /\b(?:GLIBC|GLIBCXX|CXXABI|GCC)_\d[\d.]*\b/g

/**
 * Returns the symbol versions that a program or addon needs and no library has, sorted. Such a program was linked
 * against newer libraries and would not load.
 */
export function missingSymbolVersions(program: Buffer, libraries: readonly Buffer[]): readonly string[] {
  const there = new Set(libraries.flatMap(versionsIn))
  return [...new Set(versionsIn(program))].filter((version) => !there.has(version)).toSorted()
}

function versionsIn(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').match(VERSION) ?? []
}
