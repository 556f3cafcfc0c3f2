export type LockPackage = {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
export type LockPackages = Readonly<Record<string, LockPackage>>

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const CPUS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64']

/**
 * Adds entries to the lock for optional binaries of other platforms that npm left out because it could not look them
 * up. `npm ci` refuses a lock without them and installs none of them, since their os and cpu don't match.
 */
export function completeLock(packages: LockPackages): LockPackages {
  const added = Object.values(packages).flatMap((owner) =>
    Object.entries(owner.optionalDependencies ?? {}).flatMap(([name, version]) => {
      const key = `node_modules/${name}`
      const entry = platformEntry(name, version, owner.dev === true)
      return key in packages || entry === undefined ? [] : [[key, entry] as const]
    }),
  )
  const all = [...Object.entries(packages), ...added]
  return Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function platformEntry(name: string, version: string, dev: boolean): LockPackage | undefined {
  const parts = name.slice(name.lastIndexOf('/') + 1).split('-')
  const os = parts.find((part) => SYSTEMS.includes(part))
  const cpu = parts.find((part) => CPUS.includes(part))
  if (os === undefined || cpu === undefined || !/^\d+\.\d+\.\d+$/.test(version)) return undefined
  const libc = os === 'linux' ? { libc: [parts.some((part) => part.startsWith('musl')) ? 'musl' : 'glibc'] } : {}
  return { version, optional: true, ...(dev ? { dev } : {}), cpu: [cpu], os: [os], ...libc }
}
