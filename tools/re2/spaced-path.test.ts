import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { findNodeHeaders } from './build-re2.ts'

const REPOSITORY = join(import.meta.dirname, '../..')
/** In place of re2: an addon of one file, which takes seconds. */
const BINDING = { targets: [{ target_name: 're2', sources: ['lib/addon.cc'] }] }
const ADDON = `#include <node.h>
NODE_MODULE_INIT() {}
`
/** Prints the reason why a build failed. */
const BUILD = `
const [root, here] = process.argv.slice(1)
const { buildRe2 } = await import(here + '/build-re2.ts')
const { re2Paths } = await import(here + '/re2-paths.ts')
console.log(await buildRe2(root, re2Paths(root, '1.0.0', 'abi'), process.env))`

test('an addon is built in a checkout whose path has spaces, by a Node in it', async (t) => {
  const headers = findNodeHeaders(process.execPath, process.version)
  if (headers === undefined) return t.skip('this Node has no headers beside it')
  const { root, node } = makeCheckout(t, headers)
  assert.deepEqual(await build(node, root, tmpdir()), ['undefined'])
  assert.ok(existsSync(join(root, '.tools/re2/1.0.0-abi/re2.node')))
})

test('where the temporary folder has spaces too, the reason is given before the build begins', async (t) => {
  const headers = findNodeHeaders(process.execPath, process.version)
  if (headers === undefined) return t.skip('this Node has no headers beside it')
  const { root, node } = makeCheckout(t, headers)
  const reason = 'the paths of Node and of the temporary folder contain spaces'
  assert.deepEqual(await build(node, root, root), [reason])
  assert.ok(!existsSync(join(root, '.tools/re2')))
})

async function build(node: string, root: string, temporary: string): Promise<readonly string[]> {
  const env = { ...process.env, TMPDIR: temporary }
  const args = ['--input-type=module', '-e', BUILD, root, import.meta.dirname]
  const { stdout } = await promisify(execFile)(node, args, { env })
  return stdout.trim().split('\n')
}

/** Makes a folder like a checkout with packages and a Node, in a path with spaces. */
function makeCheckout(t: TestContext, headers: string): { readonly root: string; readonly node: string } {
  const folder = mkdtempSync(join(tmpdir(), 're2-spaced-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'my own gateway')
  const [node, addon] = [join(root, '.tools/node/bin/node'), join(root, 'node_modules/re2/lib/addon.cc')]
  for (const file of [node, addon]) mkdirSync(dirname(file), { recursive: true })
  writeFileSync(addon, ADDON)
  writeFileSync(join(root, 'node_modules/re2/binding.gyp'), JSON.stringify(BINDING))
  writeFileSync(join(root, 'node_modules/re2/package.json'), '{}')
  symlinkSync(join(REPOSITORY, 'node_modules/node-gyp'), join(root, 'node_modules/node-gyp'))
  symlinkSync(join(headers, 'include'), join(root, '.tools/node/include'))
  try {
    linkSync(process.execPath, node)
  } catch {
    cpSync(process.execPath, node) // The temporary folder is on another disk.
  }
  return { root, node }
}
