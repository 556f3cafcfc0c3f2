import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { writeArchive } from './archive.ts'
import type { Release } from './documents.ts'
import { type ImageName, parseImageName } from './image-name.ts'
import { type Layer, layers } from './layers.ts'
import { sizeTable } from './size-table.ts'
import { writeTree } from './tree.ts'

export type ImageOptions = {
  /** The checkout. */
  readonly root: string
  /** An OCI archive under a name, or the image's root file system as a folder. */
  readonly target:
    | { readonly kind: 'archive'; readonly file: string; readonly name: ImageName }
    | { readonly kind: 'tree'; readonly folder: string }
  /** Seconds since 1970 that everything is dated. */
  readonly epoch: number
  readonly say: (line: string) => void
}
export type ImageOutcome = { readonly kind: 'built' } | { readonly kind: 'unavailable'; readonly reason: string }

/** Builds the image for this machine's processor from the checkout, with the Node that runs this. */
export async function buildImage({ root, target, epoch, say }: ImageOptions): Promise<ImageOutcome> {
  const natsServer = join(root, '.tools/bin/nats-server')
  const reason = whyNotHere(natsServer)
  if (reason !== undefined) return { kind: 'unavailable', reason }
  const made = await layers({ root, node: process.execPath, natsServer: realpathSync(natsServer), say })
  if (target.kind === 'tree') {
    writeTree(made, target.folder)
    return { kind: 'built' }
  }
  await archived(made, { ...target, release: releaseOf(root, epoch), say })
  return { kind: 'built' }
}

/** `llm-gateway:<version of the checkout>`. */
export function defaultName(root: string): ImageName | undefined {
  return parseImageName(`llm-gateway:${packageOf(root).version}`)
}

function whyNotHere(natsServer: string): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has what goes into it; elsewhere `docker build .` makes it'
  return existsSync(natsServer) ? undefined : 'there is no nats-server; `make setup` gets it'
}

type Archiving = { readonly file: string; readonly name: ImageName; readonly release: Release } & Pick<
  ImageOptions,
  'say'
>

async function archived(made: readonly Layer[], { file, name, release, say }: Archiving): Promise<void> {
  const archive = await writeArchive(made, { out: file, name, release })
  for (const line of sizeTable(archive.layers)) say(line)
  say(`image: ${name.short} in ${file}, ${archive.digest}`)
}

function releaseOf(root: string, epoch: number): Release {
  const { version, license: licence, name: title, description, repository } = packageOf(root)
  const source = typeof repository?.url === 'string' ? { source: repository.url } : {}
  return { version, licence, title, description, arch: process.arch, epoch, ...source }
}

function packageOf(root: string) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
}
