import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import {
  connected,
  keepRecords,
  makeRecordStream,
  temporaryFolder,
  untilAcknowledged,
  upTo,
} from '../stream/stream-under-test.ts'
import { startTarget } from '../targets/http/http-target-under-test.ts'

// Rules: docs/reference/kept-records.md#records-that-are-set-aside

test('a record that its target refuses stays with the bus and holds up no others, also over a restart', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await makeRecordStream(server)
  const bus = await connected(t, server)
  let isOpen = false
  const taken: number[] = []
  const { url, seen } = await startTarget(t, ({ body }) => {
    const record = JSON.parse(body.toString())
    if (record.text === 'UNION SELECT' && !isOpen) return { status: 403, body: 'blocked by a firewall' }
    taken.push(record.n)
    return { status: 201 }
  })
  const file = join(await temporaryFolder(t), 'nats2log_config.json')
  const service_bus = { hostname: server.address, token: server.token }
  await writeFile(file, JSON.stringify({ mode: 'rest_api_writer', rest_api_writer: { url }, service_bus }))
  const args = [join(import.meta.dirname, '../main.ts'), '-o', file]
  const until = async (count: number): Promise<void> => {
    const end = performance.now() + 60_000
    while (taken.length < count) {
      assert.ok(performance.now() < end, `${taken.length} of ${count}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await keepRecords(bus, { from: 0, to: 1, text: 'UNION SELECT' })
  {
    await using sink = await startProgram({ command: process.execPath, args })
    await waitForLine(sink, /records wait for the target/)
    for (const from of [1, 201]) {
      await keepRecords(bus, { from, to: from + 200 })
      await until(from + 199)
    }
    await sink.stop()
  }
  const state = await bus.streams.consumer('records_llm', 'nats2log')
  assert.deepEqual(state.kind === 'found' && state.value.floor, 0)
  assert.ok(seen.length - taken.length < 30, `${seen.length - taken.length} tries of one record`)
  isOpen = true
  await using sink = await startProgram({ command: process.execPath, args })
  await untilAcknowledged(bus, 'nats2log', 401)
  await sink.stop()
  assert.deepEqual(new Set(taken), new Set(upTo(401)))
  // The tries under way at the stop may be repeated.
  assert.ok(taken.length <= 401 + 8, `${taken.length} records`)
})
