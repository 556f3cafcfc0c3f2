import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { mountedFolder } from '@llm-gateway/test/fake/mounted-folder'
import { ensureRe2, isRe2Ready, pathsOf } from './ensure-re2.ts'
import { startInBackground } from './start-in-background.ts'

test('without the npm packages re2 is unavailable, and no file is left behind', async (context) => {
  const root = checkout(context)
  const outputLines: string[] = []
  const outcome = await ensureRe2({ root, environment: {}, say: (line) => outputLines.push(line) })
  assert.deepEqual(outcome, { kind: 'unavailable', reason: 'the npm packages are not installed' })
  assert.deepEqual(outputLines, [])
  assert.ok(!existsSync(join(root, '.tools')))
})

test('without a build tool re2 is unavailable, the reason names the tool, and a later build may try again', async (context) => {
  const root = checkout(context)
  mkdirSync(join(root, 'node_modules/re2/build/Release'), { recursive: true })
  writeFileSync(join(root, 'node_modules/re2/package.json'), '{"version":"9.9.9"}')
  const paths = pathsOf(root)
  assert.equal(paths?.cached, join(root, '.tools/re2', `9.9.9-${process.versions.modules}`, 're2.node'))
  // An addon that can't be loaded counts as missing.
  writeFileSync(paths?.installed ?? '', 'torn')
  assert.equal(await isRe2Ready(root), false)
  for (const _ of ['once', 'twice']) {
    const outcome = await ensureRe2({ root, environment: { PATH: '' }, say: () => undefined })
    assert.deepEqual(outcome, { kind: 'unavailable', reason: 'make, python3, a C++ compiler are missing' })
  }
  assert.ok(!existsSync(paths?.lock ?? ''))
})

test('in a read-only checkout a build is not begun, and the reason names the folder', async (context) => {
  await using disk = await mountedFolder('size=1m')
  if (disk === undefined) return context.skip('may not mount a file system')
  mkdirSync(join(disk.path, 'node_modules/re2'), { recursive: true })
  writeFileSync(join(disk.path, 'node_modules/re2/package.json'), '{"version":"9.9.9"}')
  disk.remount('ro,size=1m')
  const outputLines: string[] = []
  const place = { root: disk.path, environment: { PATH: '' }, say: (line: string) => outputLines.push(line) }
  const folder = join(disk.path, '.tools/re2')
  assert.deepEqual(await ensureRe2(place), { kind: 'unavailable', reason: `${folder} can't be written (EROFS)` })
  assert.equal(await startInBackground(place), undefined)
  assert.deepEqual(outputLines, [`tools: re2 is not available: ${folder} can't be written (EROFS)`])
})

function checkout(context: { after(remove: () => void): void }): string {
  const root = mkdtempSync(join(tmpdir(), 're2-checkout-'))
  context.after(() => rmSync(root, { recursive: true, force: true }))
  return root
}
