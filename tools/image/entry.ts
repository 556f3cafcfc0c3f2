/** An entry of a layer. `path` has no leading slash; `mode` is the permission bits. The writer sets owner and time. */
export type Entry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly read: () => Buffer }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }

export function directory(path: string, mode = 0o755): Entry {
  return { kind: 'directory', path, mode }
}

export function file(path: string, read: () => Buffer, mode = 0o644): Entry {
  return { kind: 'file', path, mode, read }
}

export function text(path: string, content: string): Entry {
  return file(path, () => Buffer.from(content))
}

export function link(path: string, target: string): Entry {
  return { kind: 'link', path, target }
}

/** Adds the parent directories and sorts by path in byte order; throws when two entries share a path. */
export function completeEntries(entries: readonly Entry[]): readonly Entry[] {
  const byPath = new Map<string, Entry>()
  for (const entry of entries) {
    if (byPath.has(entry.path)) throw new Error(`image: two entries are called ${entry.path}`)
    byPath.set(entry.path, entry)
  }
  for (const { path } of entries)
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const parent = path.slice(0, slash)
      if (!byPath.has(parent)) byPath.set(parent, directory(parent))
    }
  return [...byPath.values()].toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)))
}
