import { USER } from './base-layer.ts'
import type { LayerBlob } from './blob.ts'
import type { ImageName } from './image-name.ts'

export type Release = {
  readonly version: string
  /** The SPDX name of the licence. */
  readonly licence: string
  readonly title: string
  readonly description: string
  /** The address of the sources, if known. */
  readonly source?: string
  /** The time of all files, in seconds since 1970: SOURCE_DATE_EPOCH or 0. */
  readonly epoch: number
}
type Descriptor = { readonly digest: string; readonly size: number }

const TYPE = 'application/vnd.oci.image'
const MANIFEST = `${TYPE}.manifest.v1+json`
const INDEX = `${TYPE}.index.v1+json`

/** Returns the image's configuration: `node` as user 65532 in /app; by default the gateway with the shipped file. */
export function imageConfiguration(release: Release, architecture: string, layers: readonly LayerBlob[]) {
  const { version, licence, title, description, source, epoch } = release
  const label = (name: string, value: string) => [`org.opencontainers.image.${name}`, value] as const
  return {
    created: new Date(epoch * 1_000).toISOString(),
    architecture,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { '5380/tcp': {} },
      Env: ['PATH=/usr/bin', 'NODE_ENV=production'],
      Entrypoint: ['/usr/bin/node'],
      Cmd: ['/app/gateway/src/main.ts', '-o', '/app/conf/gl_config.json'],
      WorkingDir: '/app',
      StopSignal: 'SIGTERM',
      Labels: Object.fromEntries([
        label('title', title),
        label('description', description),
        label('version', version),
        label('licenses', licence),
        ...(source === undefined ? [] : [label('source', source)]),
      ]),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  }
}

export function imageManifest(configuration: Descriptor, layers: readonly LayerBlob[]) {
  return {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: `${TYPE}.config.v1+json`, ...configuration },
    layers: layers.map(({ digest, size }) => ({ mediaType: `${TYPE}.layer.v1.tar+gzip`, digest, size })),
  }
}

/** A manifest and its architecture. */
export type PlatformManifest = Descriptor & { readonly architecture: string }

/** Returns an index over the images of several platforms, from which an engine takes its own. */
export function platformIndex(manifests: readonly PlatformManifest[]) {
  const entries = manifests.map(({ architecture, digest, size }) => ({
    mediaType: MANIFEST,
    digest,
    size,
    platform: { architecture, os: 'linux' },
  }))
  return { schemaVersion: 2, mediaType: INDEX, manifests: entries }
}

/**
 * Returns the archive's entry document, which names a manifest or an index. containerd names the image by the first
 * annotation.
 */
export function index(content: Descriptor, kind: 'manifest' | 'index', name: ImageName) {
  const annotations = { 'io.containerd.image.name': name.full, 'org.opencontainers.image.ref.name': name.tag }
  const one = { mediaType: kind === 'index' ? INDEX : MANIFEST, ...content, annotations }
  return { schemaVersion: 2, mediaType: INDEX, manifests: [one] }
}

/** Returns the archive's entry document for `docker load` of Docker before 25, which doesn't read index.json. */
export function dockerManifest(configuration: Descriptor, layers: readonly Descriptor[], name: ImageName) {
  const path = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`
  return [{ Config: path(configuration), RepoTags: [name.short], Layers: layers.map(path) }]
}
