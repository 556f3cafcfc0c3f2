import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { digestOf, type LayerBlob, writeLayer } from './blob.ts'
import { dockerManifest, imageConfiguration, imageManifest, index, platformIndex, type Release } from './documents.ts'
import { completeEntries, type Entry, file } from './entry.ts'
import type { ImageName } from './image-name.ts'
import type { Layer } from './layers.ts'
import { tar } from './tar.ts'

/** The layers for one architecture, by OCI's name. */
export type PlatformLayers = { readonly architecture: string; readonly layers: readonly Layer[] }
export type WrittenLayer = LayerBlob & { readonly name: string }
export type WrittenImage = { readonly architecture: string; readonly layers: readonly WrittenLayer[] }
export type Archive = { readonly digest: string; readonly images: readonly WrittenImage[] }
export type ArchiveOptions = { readonly out: string; readonly name: ImageName; readonly release: Release }

/**
 * Writes images as one OCI archive; several images get an index. An existing file is replaced once the new file is
 * complete. Engines without support for indexes get the first image.
 */
export async function writeArchive(images: readonly PlatformLayers[], options: ArchiveOptions): Promise<Archive> {
  const { out, name, release } = options
  const folder = dirname(resolve(out))
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(join(folder, '.image-'))
  try {
    const written: WrittenBlobs[] = []
    for (const image of images) written.push(await writeImage(image, release, scratch))
    const [first] = written
    if (first === undefined) throw new Error('image: the archive needs an image')
    const several = json(
      platformIndex(written.map(({ architecture, manifest }) => ({ architecture, ...descriptorOf(manifest) }))),
    )
    const [kind, content] =
      written.length === 1 ? (['manifest', first.manifest] as const) : (['index', several] as const)
    const documents = [content, ...written.flatMap(({ manifest, configuration }) => [manifest, configuration])]
    const entries = completeEntries([
      file('oci-layout', () => json({ imageLayoutVersion: '1.0.0' })),
      file('index.json', () => json(index(descriptorOf(content), kind, name))),
      file('manifest.json', () => json(dockerManifest(descriptorOf(first.configuration), first.layers, name))),
      ...distinct(documents.map((document) => blob(digestOf(document), () => document))),
      ...distinct(
        written.flatMap(({ layers }) => layers.map(({ digest, path }) => blob(digest, () => readFileSync(path)))),
      ),
    ])
    const half = join(scratch, 'archive')
    await pipeline(Readable.from(tar(entries, { mtime: release.epoch })), createWriteStream(half))
    renameSync(half, out)
    return { digest: digestOf(content), images: written }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

type WrittenBlobs = {
  readonly architecture: string
  readonly layers: readonly (WrittenLayer & { readonly path: string })[]
  readonly configuration: Buffer
  readonly manifest: Buffer
}

async function writeImage(
  { architecture, layers }: PlatformLayers,
  release: Release,
  scratch: string,
): Promise<WrittenBlobs> {
  const written = await Promise.all(
    layers.map(async (layer) => {
      const path = join(scratch, `${architecture}-${layer.name}`)
      return { name: layer.name, path, ...(await writeLayer(layer.entries, release.epoch, path)) }
    }),
  )
  const configuration = json(imageConfiguration(release, architecture, written))
  return {
    architecture,
    layers: written,
    configuration,
    manifest: json(imageManifest(descriptorOf(configuration), written)),
  }
}

/** Removes duplicates: images share layers with the same content. */
function distinct(blobs: readonly Entry[]): readonly Entry[] {
  return [...new Map(blobs.map((entry) => [entry.path, entry])).values()]
}

function blob(digest: string, read: () => Buffer): Entry {
  return file(`blobs/${digest.replace(':', '/')}`, read)
}

function descriptorOf(content: Buffer) {
  return { digest: digestOf(content), size: content.length }
}

function json(document: object): Buffer {
  return Buffer.from(JSON.stringify(document))
}
