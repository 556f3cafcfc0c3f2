import { basename, dirname, join } from 'node:path'
import { runCommand } from '../../tools/setup/run-command.ts'

/** A file of this machine and the absolute path that a program looks for it at. */
export type Library = { readonly source: string; readonly path: string }

/** What a program or addon links to, its loader too, by asking the system's loader; empty for a static one. */
export async function linkedLibraries(program: string): Promise<readonly Library[]> {
  const { ok, output } = await runCommand('ldd', [program], { timeoutMs: 30_000, environment: { LC_ALL: 'C' } })
  if (!ok && /not a dynamic executable|statically linked/.test(output)) return []
  if (!ok) throw new Error('what a program links to could not be read; is there an ldd?')
  return parseLdd(output)
}

/**
 * The libraries of ldd's output. All of them go beside the C library, where the loader looks without a cache; the loader
 * itself stays where each program names it.
 */
export function parseLdd(output: string): readonly Library[] {
  const missing = /^\s*(\S+) => not found/m.exec(output)?.[1]
  if (missing !== undefined) throw new Error(`the library ${missing} is missing on this machine`)
  const loaders = [...output.matchAll(/^\s*(\/\S+) \(0x/gm)].map(([, path = '']) => ({ source: path, path }))
  const found = [...output.matchAll(/^\s*\S+ => (\/\S+) \(0x/gm)].map(([, path = '']) => path)
  const folder = dirname(found.find((path) => basename(path).startsWith('libc.')) ?? '/lib/libc')
  return [...loaders, ...found.map((source) => ({ source, path: join(folder, basename(source)) }))]
}
