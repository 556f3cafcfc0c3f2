import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageBuild } from '../parts/part.ts'
import { run } from '../parts/run.ts'
import { type Apt, openApt } from './apt.ts'
import type { PinnedPackage } from './pinned-package.ts'

/** An unpacked package: `files` as installed, `control` with its description. */
export type DebianPackage = PinnedPackage & { readonly folder: string }

export type FetchOptions = {
  readonly pins: readonly PinnedPackage[]
  /** Debian's name of the architecture. */
  readonly architecture: string
  readonly imageBuild: ImageBuild
}
export type FetchOutcome =
  | { readonly kind: 'ready'; readonly packages: readonly DebianPackage[] }
  | { readonly kind: 'unavailable'; readonly reason: string }

type Outcome = DebianPackage | { readonly reason: string }

/**
 * Returns the pinned packages from the cache or the mirror. When the mirror no longer has a version, a release fails
 * and any other build takes the newest version and prints it. A file with another hash fails every build.
 */
export async function fetchPackages({ pins, ...options }: FetchOptions): Promise<FetchOutcome> {
  return await withSource(options, (source) => collect(pins, (pin) => source.package(pin)))
}

/** Returns the newest versions of packages on the machine's mirror, for the file of pins. */
export async function newestPackages(
  names: readonly string[],
  options: Omit<FetchOptions, 'pins'>,
): Promise<FetchOutcome> {
  return await withSource(options, (source) => collect(names, (name) => source.newest(name)))
}

async function withSource(
  options: Omit<FetchOptions, 'pins'>,
  use: (source: Source) => Promise<FetchOutcome>,
): Promise<FetchOutcome> {
  const store = join(options.imageBuild.root, '.tools/image/debian')
  mkdirSync(store, { recursive: true })
  const scratch = mkdtempSync(join(store, 'fetching-'))
  try {
    return await use(new Source({ ...options, store, scratch }))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function collect<T>(wanted: readonly T[], get: (one: T) => Promise<Outcome>): Promise<FetchOutcome> {
  const packages: DebianPackage[] = []
  for (const one of wanted) {
    const outcome = await get(one)
    if ('reason' in outcome) return { kind: 'unavailable', reason: outcome.reason }
    packages.push(outcome)
  }
  return { kind: 'ready', packages }
}

type FetchContext = Omit<FetchOptions, 'pins'> & { readonly store: string; readonly scratch: string }

class Source {
  readonly #context: FetchContext
  #apt: Promise<Apt | string> | undefined

  constructor(context: FetchContext) {
    this.#context = context
  }

  async package(pin: PinnedPackage): Promise<Outcome> {
    const folder = join(this.#context.store, pin.sha256)
    if (existsSync(folder)) return { ...pin, folder }
    const { isRelease, say } = this.#context.imageBuild
    const archive = await this.#download(`${pin.name}=${pin.version}`)
    if ('path' in archive) return await this.#unpack(archive.path, pin)
    if (isRelease) return { reason: `${pin.name} ${pin.version}, which is pinned, can't be had: ${archive.reason}` }
    const newest = await this.newest(pin.name)
    if (!('reason' in newest))
      say(`image: ${pin.name} ${pin.version} is no longer available; the build uses ${newest.version}`)
    return newest
  }

  async newest(name: string): Promise<Outcome> {
    const archive = await this.#download(name)
    if ('reason' in archive) return archive
    const sha256 = digestOf(archive.path)
    const version = decodeURIComponent(archive.path.split('_').at(-2) ?? '')
    return await this.#unpack(archive.path, { name, version, sha256 })
  }

  async #download(wanted: string): Promise<{ readonly path: string } | { readonly reason: string }> {
    this.#apt ??= this.#openApt()
    const apt = await this.#apt
    if (typeof apt === 'string') return { reason: apt }
    const reason = await apt.get(['download', wanted])
    const name = readdirSync(this.#context.scratch).find((file) => file.endsWith('.deb'))
    return reason === undefined && name !== undefined
      ? { path: join(this.#context.scratch, name) }
      : { reason: reason ?? `apt-get downloaded no ${wanted}` }
  }

  async #openApt(): Promise<Apt | string> {
    const { scratch, architecture, imageBuild } = this.#context
    const apt = openApt({ folder: scratch, architecture, environment: imageBuild.environment })
    return (await apt.update()) ?? apt
  }

  async #unpack(archive: string, found: PinnedPackage): Promise<Outcome> {
    const { scratch, store, imageBuild } = this.#context
    if (digestOf(archive) !== found.sha256)
      return { reason: `${found.name} ${found.version} of the mirror is not the file that was pinned` }
    const half = join(scratch, found.sha256)
    const { environment } = imageBuild
    mkdirSync(half)
    const reason =
      (await run('dpkg-deb', ['-x', archive, join(half, 'files')], { environment })) ??
      (await run('dpkg-deb', ['-e', archive, join(half, 'control')], { environment }))
    rmSync(archive)
    if (reason !== undefined) return { reason }
    const folder = join(store, found.sha256)
    // Another build may have made the same folder first.
    if (!existsSync(folder)) renameSync(half, folder)
    return { ...found, folder }
  }
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
