import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { completeEntries, file } from '../image/entry.ts'
import { tar } from '../image/tar.ts'

const TYPE = 'application/vnd.oci.image'

export type TestImage = {
  readonly entries: Parameters<typeof completeEntries>[0]
  /** The absolute path and the arguments. */
  readonly entrypoint: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly name: string
  readonly out: string
}

/** Writes an OCI archive whose only file is a static program, started as root. */
export function writeProgramImage({ program, name, out }: { program: string; name: string; out: string }): void {
  const path = basename(program)
  writeTestImage({ entries: [file(path, () => readFileSync(program), 0o755)], entrypoint: [`/${path}`], name, out })
}

/** Writes an OCI archive of one layer. */
export function writeTestImage({ entries, entrypoint, environment = {}, name, out }: TestImage): void {
  const layer = archive(entries)
  const Env = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`)
  const configuration = json({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: entrypoint, Env },
    rootfs: { type: 'layers', diff_ids: [digest(layer)] },
  })
  const manifest = json({
    schemaVersion: 2,
    mediaType: `${TYPE}.manifest.v1+json`,
    config: descriptor('config.v1+json', configuration),
    layers: [descriptor('layer.v1.tar', layer)],
  })
  const index = json({
    schemaVersion: 2,
    manifests: [{ ...descriptor('manifest.v1+json', manifest), annotations: { 'io.containerd.image.name': name } }],
  })
  const blobs = [configuration, manifest, layer].map((blob) =>
    file(`blobs/sha256/${digest(blob).slice('sha256:'.length)}`, () => blob),
  )
  const layout = file('oci-layout', () => json({ imageLayoutVersion: '1.0.0' }))
  writeFileSync(out, archive([layout, file('index.json', () => index), ...blobs]))
}

function archive(entries: Parameters<typeof completeEntries>[0]): Buffer {
  return Buffer.concat([...tar(completeEntries(entries), { mtime: 0 })])
}

function descriptor(type: string, blob: Buffer) {
  return { mediaType: `${TYPE}.${type}`, digest: digest(blob), size: blob.length }
}

function digest(blob: Buffer): string {
  return `sha256:${createHash('sha256').update(blob).digest('hex')}`
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
