import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { execute } from '../../tools/cluster/execute.ts'
import { type Entry, file } from '../../tools/image/entry.ts'

/**
 * Returns the libraries that programs and addons link to, by the system's loader; none for static programs. They go
 * beside the C library, where the loader looks without a cache. The loader stays at the path that each program names.
 */
export async function linkedLibraries(
  programs: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<readonly Entry[]> {
  const outputs = await Promise.all(
    programs.map(async (program) => {
      const { code, stdout, stderr } = await execute(['ldd', program], { environment: { ...environment, LC_ALL: 'C' } })
      if (code !== 0 && !/not a dynamic executable|statically linked/.test(stdout + stderr)) throw new Error(stderr)
      return code === 0 ? stdout : ''
    }),
  )
  const sources = new Map(outputs.flatMap(librariesOf))
  return [...sources].map(([path, source]) => file(path.slice(1), () => readFileSync(source), 0o755))
}

/** Maps paths in the image to files of this machine. */
function librariesOf(output: string): readonly (readonly [path: string, source: string])[] {
  const missing = /^\s*(\S+) => not found/m.exec(output)?.[1]
  if (missing !== undefined) throw new Error(`the library ${missing} is missing on this machine`)
  const loaders = [...output.matchAll(/^\s*(\/\S+) \(0x/gm)].map(([, path = '']) => [path, path] as const)
  const found = [...output.matchAll(/^\s*\S+ => (\/\S+) \(0x/gm)].map(([, path = '']) => path)
  const folder = dirname(found.find((path) => basename(path).startsWith('libc.')) ?? '/lib/libc')
  return [...loaders, ...found.map((source) => [join(folder, basename(source)), source] as const)]
}
