import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type PlatformLayers, writeArchive } from './archive.ts'
import { completeEntries, text } from './entry.ts'
import { parseImageName } from './image-name.ts'

const name = parseImageName('llm-gateway:1')
assert.ok(name !== undefined)
const release = { version: '1', licence: 'Apache-2.0', title: 'llm-gateway', description: 'it', epoch: 0 }
const app = { name: 'app', entries: completeEntries([text('app/a', 'the same everywhere')]) }
const imageOf = (architecture: string): PlatformLayers => ({
  architecture,
  layers: [{ name: 'base', entries: completeEntries([text('node', architecture)]) }, app],
})

async function readArchive(context: TestContext, images: readonly PlatformLayers[]) {
  assert.ok(name !== undefined)
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const out = join(folder, 'image.tar')
  const { digest } = await writeArchive(images, { out, name, release })
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked)
  execFileSync('tar', ['-xf', out, '-C', unpacked])
  const read = (path: string) => JSON.parse(readFileSync(join(unpacked, path), 'utf8'))
  const blob = (wanted: string) => read(`blobs/${wanted.replace(':', '/')}`)
  return { digest, read, blob, bytes: readFileSync(out) }
}

test('index.json of an archive with one image points at the image’s manifest', async (context) => {
  const { digest, read, blob } = await readArchive(context, [imageOf('amd64')])
  const [manifest] = read('index.json').manifests
  assert.equal(manifest.digest, digest)
  assert.equal(manifest.mediaType, 'application/vnd.oci.image.manifest.v1+json')
  assert.equal(blob(blob(digest).config.digest).architecture, 'amd64')
})

test('an archive for several platforms has an index, shares equal layers, and names the first platform for docker load', async (context) => {
  const { digest, read, blob, bytes } = await readArchive(context, [imageOf('amd64'), imageOf('arm64')])
  const [manifest] = read('index.json').manifests
  assert.deepEqual([manifest.digest, manifest.mediaType], [digest, 'application/vnd.oci.image.index.v1+json'])
  assert.equal(manifest.annotations['io.containerd.image.name'], 'docker.io/library/llm-gateway:1')
  const { manifests } = blob(digest)
  assert.deepEqual(
    manifests.map(({ platform }: { readonly platform: object }) => platform),
    [
      { architecture: 'amd64', os: 'linux' },
      { architecture: 'arm64', os: 'linux' },
    ],
  )
  const [amd64, arm64] = manifests.map((one: { readonly digest: string }) => blob(one.digest))
  assert.equal(amd64.layers[1].digest, arm64.layers[1].digest)
  assert.notEqual(amd64.layers[0].digest, arm64.layers[0].digest)
  assert.equal(blob(arm64.config.digest).architecture, 'arm64')
  assert.equal(read('manifest.json')[0].Config, `blobs/${amd64.config.digest.replace(':', '/')}`)
  assert.ok(bytes.equals((await readArchive(context, [imageOf('amd64'), imageOf('arm64')])).bytes))
})

test('an archive without an image throws', async (context) => {
  await assert.rejects(readArchive(context, []), /needs an image/)
})
