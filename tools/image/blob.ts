import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Entry } from './entry.ts'
import { tar } from './tar.ts'

/** A layer in the terms of the manifest and the configuration; digests are `sha256:<hex>`. */
export type LayerBlob = {
  readonly digest: string
  readonly size: number
  /** The digest of the tar before compression. */
  readonly diffId: string
  /** The path and the size of each file. */
  readonly files: readonly (readonly [path: string, size: number])[]
}

/** Writes a layer's compressed tar to a file. */
export async function writeLayer(entries: readonly Entry[], mtime: number, path: string): Promise<LayerBlob> {
  const files: [string, number][] = []
  const plain = counter()
  const packed = counter()
  await pipeline(
    Readable.from(tar(entries, { mtime, wrote: (name, size) => files.push([name, size]) })),
    plain.pass,
    // Node's gzip writes neither a name nor a time into the header, so the bytes are reproducible.
    createGzip({ level: 6 }),
    packed.pass,
    createWriteStream(path),
  )
  return { digest: packed.digest(), size: packed.size(), diffId: plain.digest(), files }
}

export function digestOf(content: Buffer): string {
  return digestText(createHash('sha256').update(content))
}

function counter() {
  const hash = createHash('sha256')
  let size = 0
  return {
    async *pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        hash.update(chunk)
        size += chunk.length
        yield chunk
      }
    },
    digest: () => digestText(hash),
    size: () => size,
  }
}

function digestText(hash: Hash): string {
  return `sha256:${hash.digest('hex')}`
}
