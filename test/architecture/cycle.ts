import type { SourceFile } from './source-file.ts'

/** Returns the paths along one cycle of imports, type imports included; undefined if there is none. */
export function findCycle(files: readonly SourceFile[]): readonly string[] | undefined {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()

  const visit = (path: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const { file } of byPath.get(path)?.imports ?? []) {
      if (file === undefined) continue
      const cycle = visit(file, [...above, path])
      if (cycle !== undefined) return cycle
    }
    done.add(path)
    return undefined
  }

  for (const { path } of files) {
    const cycle = visit(path, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
