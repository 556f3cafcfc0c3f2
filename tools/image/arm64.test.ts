import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { baseLayer } from './base-layer.ts'
import { fetchPackages } from './debian/fetch-packages.ts'
import { readPins } from './debian/pinned-package.ts'
import { unpackTree } from './debian/unpack-tree.ts'
import { completeEntries } from './entry.ts'
import { ownEntries } from './layers.ts'
import { nodePackage } from './parts/node-package.ts'
import { PLATFORMS } from './parts/platform.ts'
import { writeTree } from './tree.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const isHere = process.platform === 'linux' && process.arch === 'x64'
/**
 * The flags and variables with which the gateway would restart itself: the emulator can't start a program for the other
 * processor.
 */
const FLAGS = [
  '--max-semi-space-size=8',
  '--no-maglev',
  '--heap-growing-percent=50',
  '--no-allocation-site-pretenuring',
  '--no-memory-reducer-favors-memory',
  '--retain-maps-for-n-gc=1000',
]
const ENVIRONMENT = {
  LD_PRELOAD: '/usr/lib/aarch64-linux-gnu/libjemalloc.so.2',
  MALLOC_CONF: 'narenas:1,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '1310720',
  MALLOC_TRIM_THRESHOLD_: '2097152',
  NODE_COMPILE_CACHE: '',
  NATS_TOKEN: 'token',
  NODE_ENV: 'production',
}

suite('the image for arm64, on an emulated processor', {
  skip: !isHere && 'it is emulated on amd64',
  timeout: 900_000,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-arm64-'))
  const tree = join(folder, 'root')
  const qemu = join(ROOT, '.tools/image/qemu-user-static')
  before(async () => {
    const imageBuild = { root: ROOT, environment: process.env, isRelease: false, say: console.log }
    const platform = PLATFORMS.find(({ architecture }) => architecture === 'arm64')
    assert.ok(platform !== undefined)
    assert.equal(await unpackTree(imageBuild, 'qemu-user-static', qemu), undefined)
    const node = await nodePackage(imageBuild, platform)
    assert.ok(node.kind === 'ready', JSON.stringify(node))
    const pins = readPins(ROOT).arm64 ?? []
    const debian = await fetchPackages({ pins, architecture: 'arm64', imageBuild })
    assert.ok(debian.kind === 'ready', JSON.stringify(debian))
    const base = completeEntries(baseLayer(node.path, debian.packages))
    writeTree(
      [
        { name: 'base', entries: base },
        { name: 'app', entries: await ownEntries(ROOT) },
      ],
      tree,
    )
  })
  after(() => rmSync(folder, { recursive: true }))

  const run = (args: readonly string[]) => {
    const emulated = ['-L', tree, join(tree, 'usr/bin/node'), ...FLAGS, ...args]
    return spawnSync(join(qemu, 'usr/bin/qemu-aarch64-static'), emulated, {
      encoding: 'utf8',
      env: ENVIRONMENT,
      cwd: '/',
    })
  }

  test('the image’s Node is built for arm64', () => {
    // The loader and the allocator would complain of a library or a setting that isn't for this processor.
    const { stdout, stderr } = run(['-p', 'process.arch'])
    assert.deepEqual({ stdout, stderr }, { stdout: 'arm64\n', stderr: '' })
  })

  test('the gateway prints its version and checks the shipped file', () => {
    const main = join(tree, 'app/gateway/src/main.ts')
    const versionRun = run([main, '--version'])
    assert.equal(versionRun.stdout, `${version}\n`, versionRun.stderr)
    const checked = run([main, '--validate', '-o', join(tree, 'app/conf/gl_config.json')])
    assert.equal(checked.status, 0, checked.stdout + checked.stderr)
    assert.match(checked.stdout, /"adding router"/)
  })
})
