import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { readInThread } from './config-thread.ts'

const LOST = { kind: 'unreadable', code: 'INTERNAL', retry: 'seldom' }

async function configFile() {
  const folder = await temporaryFolder()
  const file = join(folder.path, 'gl_config.json')
  await writeFile(file, '{"version":"1.0.1"}')
  return { source: { file, environment: {} }, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

test('a reading checks its file repeatedly until it is closed, and each later check fails', async () => {
  await using config = await configFile()
  const reading = await readInThread(config.source, new AbortController().signal)
  assert.ok(reading.kind === 'read')
  for (const acceptMissing of [false, true]) assert.equal((await reading.check(acceptMissing)).kind, 'checked')
  await reading.close()
  assert.deepEqual(await reading.check(false), LOST)
})

test('a reading that is stopped is unreadable', async () => {
  await using config = await configFile()
  const stop = new AbortController()
  const reading = readInThread(config.source, stop.signal)
  stop.abort()
  assert.deepEqual(await reading, { kind: 'unreadable', code: 'STOPPED', retry: 'never' })
})

for (const kind of ['read', 'check'] as const) {
  test(`a thread that is lost while it should ${kind} says nothing about the file`, async () => {
    await using config = await configFile()
    const source = { ...config.source, environment: { ENDS_AT: kind } }
    const program = new URL('./lost-worker-under-test.ts', import.meta.url)
    const reading = await readInThread(source, new AbortController().signal, program)
    assert.deepEqual(reading.kind === 'read' ? await reading.check(false) : reading, LOST)
  })
}
