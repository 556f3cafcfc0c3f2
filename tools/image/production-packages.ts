import { isRunDependency, PACKAGES } from './contents.ts'

/** The parts of an entry in package-lock.json that are read. */
export type LockEntry = {
  readonly version?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}
export type Lock = Readonly<Record<string, LockEntry>>

/**
 * Returns the third-party packages that our packages need to run, as folders of the checkout (`node_modules/…`),
 * sorted. Resolves them in the lock as Node would, from each dependent upwards. Throws when the lock lacks a
 * dependency, unless it is optional or a peer.
 */
export function productionPackages(lock: Lock, roots: readonly string[] = PACKAGES): readonly string[] {
  const found = new Set<string>()
  const waiting = [...roots]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const needed of neededBy(lock, folder)) {
      if (found.has(needed)) continue
      found.add(needed)
      waiting.push(needed)
    }
  }
  return [...found].toSorted()
}

function neededBy(lock: Lock, folder: string): readonly string[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = lock[folder] ?? {}
  const optional = { ...peerDependencies, ...optionalDependencies }
  return Object.keys({ ...dependencies, ...optional })
    .filter(isRunDependency)
    .flatMap((name) => {
      const place = resolve(lock, folder, name)
      if (place === undefined && !(name in optional)) throw new Error(`image: the lock has no ${name} for ${folder}`)
      // Our own packages are links and are roots themselves.
      return place === undefined || lock[place]?.link === true ? [] : [place]
    })
}

function resolve(lock: Lock, folder: string, name: string): string | undefined {
  const parts = folder.split('/')
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    if (parts[depth - 1] === 'node_modules') continue
    const place = [...parts.slice(0, depth), 'node_modules', name].join('/')
    if (place in lock) return place
  }
  return undefined
}
