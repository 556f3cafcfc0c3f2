import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busOptions, connectBus } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { Journal } from '@llm-gateway/test/fake/journal'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { publish } from './publish-under-test.ts'
import { startSink } from './sink.ts'
import { allFailed, DELIVERED, type Writer } from './writer.ts'

const SUBJECT = 'llm.gl.logger'

test('issue 12, 7: a record counts as seen once it is delivered: one that was lost is taken when it comes again', async () => {
  await using server = await startNatsServer()
  const { logger } = journalLogger()
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger })
  assert.ok(bus)
  const tries = new Journal<string>()
  const writer: Writer = {
    batch: { records: 1, bytes: 0 },
    concurrency: 1,
    open: async () => undefined,
    write: async (records) => {
      const [record] = records
      tries.add(Buffer.from(record?.bytes ?? []).toString())
      return tries.total === 1 ? allFailed(records, { code: 'HTTP_503', again: false }) : DELIVERED
    },
    close: async () => undefined,
  }
  const sink = await startSink({ bus, subject: SUBJECT, service: 'test', writer, logger, retries: 0, retryDelayMs: 1 })
  for (let sent = 1; sent <= 3; sent += 1) {
    await publish(server, SUBJECT, [{ id: 'one', json: '{"n":1}' }])
    await tries.waitForCount(Math.min(sent, 2))
  }
  await publish(server, SUBJECT, [{ id: 'two', json: '{"n":2}' }])
  await tries.waitForCount(3)
  assert.deepEqual(tries.entries, ['{"n":1}', '{"n":1}', '{"n":2}'])
  await sink.drain()
  await bus.close()
})
