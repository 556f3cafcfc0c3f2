import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBusClient } from './bus-client.ts'
import { startNatsServer } from './nats-server.ts'
import { NO_REPLY, startProcessor } from './processor.ts'
import { collectRecords } from './records.ts'

test('a fake processor records its messages and sends the replies of the test', async () => {
  await using server = await startNatsServer()
  await using client = await connectBusClient(server)
  await using processor = await startProcessor(server, 'llm.gl.test', ({ fields }) => ({ got: fields.a }))
  const ask = async (text: string, timeoutMs?: number): Promise<string> => {
    return Buffer.from(await client.request('llm.gl.test', Buffer.from(text), timeoutMs)).toString()
  }
  assert.equal(await ask('{"a":1}'), '{"got":1}')
  processor.reply(() => undefined)
  assert.equal(await ask('{"a":2}'), '')
  processor.reply(() => 'not JSON')
  assert.equal(await ask('{"a":3}'), 'not JSON')
  processor.reply(() => NO_REPLY)
  await assert.rejects(ask('{"a":4}', 500), /TIMEOUT/)
  await processor.messages.waitForCount(4)
  assert.deepEqual(
    processor.messages.entries.map(({ fields }) => fields.a),
    [1, 2, 3, 4],
  )
})

test('records are collected with their fields', async () => {
  await using server = await startNatsServer()
  await using records = await collectRecords(server)
  await using client = await connectBusClient(server)
  client.publish('llm.gl.logger', Buffer.from('{"session_id":"a","request":{"x":[{"y":7}]}}'))
  const seen = await records.waitFor(({ record }) => record.session_id === 'a')
  assert.equal(seen.field('request.x[0].y'), 7)
  assert.equal(records.distinct().length, 1)
})
