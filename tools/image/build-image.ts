import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPage } from '../gui/build-page.ts'
import { writeArchive } from './archive.ts'
import type { Release } from './documents.ts'
import { type ImageName, parseImageName } from './image-name.ts'
import { layers, ownEntries } from './layers.ts'
import type { ImageBuild } from './parts/part.ts'
import { gatherParts, type Parts } from './parts/parts.ts'
import { type Platform, platformOf } from './parts/platform.ts'
import { sizeTable } from './size-table.ts'
import { writeTree } from './tree.ts'

export type ImageOptions = ImageBuild & {
  /** An OCI archive with a name, or the root file system of the first platform as a folder. */
  readonly target:
    | { readonly kind: 'archive'; readonly file: string; readonly name: ImageName }
    | { readonly kind: 'tree'; readonly folder: string }
  /** Empty: this machine's platform. */
  readonly platforms: readonly Platform[]
  /** The time of all files, in seconds since 1970. */
  readonly epoch: number
}
export type ImageOutcome = { readonly kind: 'built' } | { readonly kind: 'unavailable'; readonly reason: string }

/** Builds the image from the checkout and the pinned parts. */
export async function buildImage(options: ImageOptions): Promise<ImageOutcome> {
  const own = platformOf(process.arch)
  if (process.platform !== 'linux' || own === undefined)
    return { kind: 'unavailable', reason: 'the build needs Linux on amd64 or arm64; elsewhere use `docker build .`' }
  if (!(await buildPage(options))) return { kind: 'unavailable', reason: "the web interface's page can't be built" }
  const gathered: Parts[] = []
  for (const platform of options.platforms.length === 0 ? [own] : options.platforms) {
    const outcome = await gatherParts(options, platform)
    if (outcome.kind === 'unavailable') return outcome
    gathered.push(outcome.parts)
  }
  await write(gathered, options)
  return { kind: 'built' }
}

/** Returns `llm-gateway:<version of the checkout>`. */
export function defaultName(root: string): ImageName | undefined {
  return parseImageName(`llm-gateway:${packageOf(root).version}`)
}

async function write(gathered: readonly Parts[], { root, target, epoch, say }: ImageOptions): Promise<void> {
  const entries = await ownEntries(root)
  const images = gathered.map((parts) => ({
    architecture: parts.platform.architecture,
    layers: layers(root, parts, entries),
  }))
  if (target.kind === 'tree') {
    writeTree(images[0]?.layers ?? [], target.folder)
    return
  }
  const { file, name } = target
  const archive = await writeArchive(images, { out: file, name, release: releaseOf(root, epoch) })
  for (const image of archive.images) {
    say(`image: linux/${image.architecture}`)
    for (const line of sizeTable(image.layers)) say(line)
  }
  say(`image: ${name.short} in ${file}, ${archive.digest}`)
}

function releaseOf(root: string, epoch: number): Release {
  const { version, license: licence, name: title, description, repository } = packageOf(root)
  const source = typeof repository?.url === 'string' ? { source: repository.url } : {}
  return { version, licence, title, description, epoch, ...source }
}

function packageOf(root: string) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
}
