import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { keep } from './keep.ts'

function scratch(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'keep-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('of several processes that want a file at once one makes it', async (context) => {
  const place = join(scratch(context), 'deep/file')
  let made = 0
  const make = async (half: string) => {
    made += 1
    writeFileSync(half, 'whole')
    return undefined
  }
  assert.deepEqual(
    await Promise.all([keep(place, make), keep(place, make), keep(place, make)]),
    Array(3).fill(undefined),
  )
  assert.equal(made, 1)
  assert.equal(readFileSync(place, 'utf8'), 'whole')
})

test('a file that could not be made leaves nothing and is tried again the next time', async (context) => {
  const folder = scratch(context)
  const place = join(folder, 'made')
  const half = async (path: string) => {
    mkdirSync(path)
    return 'the disk is full'
  }
  assert.equal(await keep(place, half), 'the disk is full')
  assert.deepEqual(readdirSync(folder), [])
  const whole = async (path: string) => {
    mkdirSync(path)
    return undefined
  }
  assert.equal(await keep(place, whole), undefined)
  assert.ok(existsSync(place))
})
