import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../fake/temporary-folder.ts'
import { startBenchProcess } from './bench-process.ts'

const ECHO = "process.on('message', (text) => process.send(text))"

test('two orders that are sent together get their own answers', async () => {
  await using folder = await temporaryFolder()
  const script = join(folder.path, 'echo.mjs')
  writeFileSync(script, ECHO)
  const child = startBenchProcess(relative(import.meta.dirname, script), [], [])
  try {
    const orders = [{ order: 1 }, { order: 2 }, { order: 3 }]
    assert.deepEqual(await Promise.all(orders.map((order) => child.ask(order))), orders)
  } finally {
    await child.stop()
  }
})
