import { join } from 'node:path'
import { unpackTree } from '../debian/unpack-tree.ts'
import type { ImageBuild } from './part.ts'
import { type Platform, platformOf } from './platform.ts'

export type CrossCompiler =
  | { readonly kind: 'ready'; readonly environment: NodeJS.ProcessEnv }
  | { readonly kind: 'unavailable'; readonly reason: string }

/** The GCC of Debian 12, whose output runs with the pinned libraries. */
const VERSION = 12

/** Unpacks Debian's compiler for another platform; returns the environment variables with which node-gyp uses it. */
export async function crossCompiler(imageBuild: ImageBuild, { triplet }: Platform): Promise<CrossCompiler> {
  const own = platformOf(process.arch)
  const root = join(imageBuild.root, '.tools/image/cross', triplet)
  const reason = await unpackTree(imageBuild, `g++-${VERSION}-${triplet}`, root)
  if (reason !== undefined) return { kind: 'unavailable', reason }
  const program = (name: string) => join(root, 'usr/bin', `${triplet}-${name}`)
  const environment = {
    CC: `${program(`gcc-${VERSION}`)} --sysroot=${root}`,
    CXX: `${program(`g++-${VERSION}`)} --sysroot=${root}`,
    AR: program('ar'),
    // The libraries of the compiler's own assembler and linker.
    LD_LIBRARY_PATH: join(root, 'usr/lib', own?.triplet ?? ''),
  }
  return { kind: 'ready', environment }
}
