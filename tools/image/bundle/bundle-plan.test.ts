import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundlePlan, relocate } from './bundle-plan.ts'

const SOURCE = 'gateway/src/config/config-thread.ts'

test('a thread is a file beside the bundle, independent of the folder of its source', () => {
  const text = `new Worker(new URL('./config-worker.ts', import.meta.url)); new URL('../work/x.ts', import.meta.url)`
  const moved = `new Worker(new URL('./gateway-config-config-worker.mjs', import.meta.url)); new URL('./gateway-work-x.mjs', import.meta.url)`
  assert.equal(relocate(text, SOURCE), moved)
})

test("import.meta.dirname in a bundle is the source's folder in a checkout", () => {
  const moved = relocate("join(import.meta.dirname, '../package.json')", 'gateway/ginit/src/main.ts')
  assert.equal(moved, "join((import.meta.dirname + '/../gateway/ginit/src'), '../package.json')")
})

const UNKNOWN = ['import.meta.main', 'import.meta.resolve("x")', "new URL('./model.bin', import.meta.url)"] as const
for (const text of UNKNOWN) {
  test(`${text} is an error that names its source`, () => {
    assert.throws(() => relocate(text, SOURCE), /config-thread\.ts/)
  })
}

test('the plan has each program, entry point and thread of the checkout once', () => {
  const plan = bundlePlan(join(import.meta.dirname, '../../..'))
  const names = plan.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  const isEntryPoint = (source: string) => plan.find((entry) => entry.source === source)?.isEntryPoint
  assert.equal(isEntryPoint('gateway/src/main.ts'), true)
  assert.equal(isEntryPoint('processors/nats2log/src/dead-letters.ts'), true)
  assert.equal(isEntryPoint('processors/sdk/src/index.ts'), true)
  assert.equal(isEntryPoint('processors/sdk/src/program/context-under-test.ts'), undefined)
  assert.equal(isEntryPoint('gateway/src/config/config-worker.ts'), false)
  assert.equal(isEntryPoint('processors/tokenizer/src/counting-thread.ts'), false)
})
