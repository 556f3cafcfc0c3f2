import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { readInThread } from './config-thread.ts'

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
  assert.deepEqual(await reading.check(false), { kind: 'invalid', validationErrors: { gl_config: 'INTERNAL' } })
})

test('a reading that is stopped is unreadable', async () => {
  await using config = await configFile()
  const stop = new AbortController()
  const reading = readInThread(config.source, stop.signal)
  stop.abort()
  assert.deepEqual(await reading, { kind: 'unreadable', code: 'STOPPED', isPermanent: true })
})
