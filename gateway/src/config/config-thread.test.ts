import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { readInThread } from './config-thread.ts'

const LOST = { kind: 'unreadable', code: 'INTERNAL', retry: 'seldom' }

async function configFile(config: object = { version: '1.0.1' }) {
  const folder = await temporaryFolder()
  const file = join(folder.path, 'gl_config.json')
  await writeFile(file, JSON.stringify(config))
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

test('a reading in a thread has the result of a check: every row, entry and path in its order', async () => {
  const paths = Array.from({ length: 1_200 }, (_, index) => `/${index}/`)
  const entry = { name: 'a', service_bus_topic: 'a.b', timeout: 1 }
  const many = [entry, { ...entry, routers: paths, reroute_to: paths.toReversed() }, { ...entry, routers: ['/a/'] }]
  const config = {
    routers: paths.map((path) => ({ path, outbound: { url: 'http://h' } })),
    request: { processors: [[], many, [{ ...entry, routers: [] }]] },
    response: { processors: [many.toReversed()] },
  }
  await using file = await configFile(config)
  const reading = await readInThread(file.source, new AbortController().signal)
  assert.ok(reading.kind === 'read')
  const read = await reading.check(false)
  await reading.close()
  const check = checkGlConfig(Buffer.from(JSON.stringify(config)), { environment: {} })
  assert.ok(read.kind === 'checked' && check.kind === 'checked')
  assert.deepEqual(read.config.settings, check.config.settings)
  assert.deepEqual(read.config.routers, check.config.routers)
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
