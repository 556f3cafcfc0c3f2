import { readFileSync } from 'node:fs'
import { nodePackage } from '../../image/parts/node-package.ts'
import { PLATFORMS } from '../../image/parts/platform.ts'
import { re2Addon } from '../../image/parts/re2-addon.ts'
import type { ReleaseBuild } from '../artefact.ts'

/** The line that compilers leave in a program. */
const COMPILER = /(?:GCC: \([^)\n\0]{1,100}\)|clang version) [\w.+-]{1,40}/

/**
 * Returns the compiler of re2's addon for each platform of the image: platform → the compiler's name and version. The
 * compiler is the only tool of a release that the machine brings, and another compiler gives other bytes.
 */
export async function addonCompilers(release: ReleaseBuild): Promise<Readonly<Record<string, string>>> {
  const { stage: root, environment, say } = release
  const imageBuild = { root, environment, say, isRelease: true }
  const compilers: (readonly [string, string])[] = []
  for (const platform of PLATFORMS) {
    const node = await nodePackage(imageBuild, platform)
    if (node.kind === 'unavailable') throw new Error(`release: ${node.reason}`)
    const addon = await re2Addon({ imageBuild, platform, node: node.path })
    if (addon.kind === 'unavailable') throw new Error(`release: ${addon.reason}`)
    compilers.push([`linux/${platform.architecture}`, compilerOf(readFileSync(addon.path))])
  }
  return Object.fromEntries(compilers)
}

/** Returns the compiler that a program names; throws where it names none. */
export function compilerOf(program: Buffer): string {
  const [compiler] = COMPILER.exec(program.toString('latin1')) ?? []
  if (compiler === undefined) throw new Error('release: the addon of re2 names no compiler')
  return compiler
}
