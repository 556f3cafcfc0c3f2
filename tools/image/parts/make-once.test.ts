import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeOnce } from './make-once.ts'

function scratch(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'keep-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('of several processes that want a file one makes it', async (context) => {
  const place = join(scratch(context), 'deep/file')
  let made = 0
  const make = async (half: string) => {
    made += 1
    writeFileSync(half, 'whole')
    return undefined
  }
  assert.deepEqual(
    await Promise.all([makeOnce(place, make), makeOnce(place, make), makeOnce(place, make)]),
    Array(3).fill(undefined),
  )
  assert.equal(made, 1)
  assert.equal(readFileSync(place, 'utf8'), 'whole')
})

test('a failed attempt leaves no file, and the next call tries again', async (context) => {
  const folder = scratch(context)
  const place = join(folder, 'made')
  const half = async (path: string) => {
    mkdirSync(path)
    return 'the disk is full'
  }
  assert.equal(await makeOnce(place, half), 'the disk is full')
  assert.deepEqual(readdirSync(folder), [])
  const whole = async (path: string) => {
    mkdirSync(path)
    return undefined
  }
  assert.equal(await makeOnce(place, whole), undefined)
  assert.ok(existsSync(place))
})
