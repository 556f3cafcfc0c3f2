import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { digestOf, type LayerBlob, writeLayer } from './blob.ts'
import { dockerManifest, imageConfiguration, imageManifest, index, type Release } from './documents.ts'
import { complete, type Entry, file } from './entry.ts'
import type { ImageName } from './image-name.ts'
import type { Layer } from './layers.ts'
import { tar } from './tar.ts'

export type Archive = { readonly digest: string; readonly layers: readonly (LayerBlob & { readonly name: string })[] }
export type ArchiveOptions = { readonly out: string; readonly name: ImageName; readonly release: Release }

/** Writes the layers as an OCI archive; a file of that name is replaced when the new one is whole. */
export async function writeArchive(layers: readonly Layer[], { out, name, release }: ArchiveOptions): Promise<Archive> {
  const folder = dirname(resolve(out))
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(join(folder, '.image-'))
  try {
    const written = await Promise.all(
      layers.map(async (layer) => {
        const path = join(scratch, layer.name)
        return { name: layer.name, path, ...(await writeLayer(layer.entries, release.epoch, path)) }
      }),
    )
    const configuration = json(imageConfiguration(release, written))
    const manifest = json(imageManifest(descriptor(configuration), written))
    const entries = complete([
      file('oci-layout', () => json({ imageLayoutVersion: '1.0.0' })),
      file('index.json', () => json(index(descriptor(manifest), name))),
      file('manifest.json', () => json(dockerManifest(descriptor(configuration), written, name))),
      blob(digestOf(configuration), () => configuration),
      blob(digestOf(manifest), () => manifest),
      ...written.map(({ digest, path }) => blob(digest, () => readFileSync(path))),
    ])
    const half = join(scratch, 'archive')
    await pipeline(Readable.from(tar(entries, { mtime: release.epoch })), createWriteStream(half))
    renameSync(half, out)
    return { digest: digestOf(manifest), layers: written }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function blob(digest: string, read: () => Buffer): Entry {
  return file(`blobs/${digest.replace(':', '/')}`, read)
}

function descriptor(content: Buffer) {
  return { digest: digestOf(content), size: content.length }
}

function json(document: object): Buffer {
  return Buffer.from(JSON.stringify(document))
}
