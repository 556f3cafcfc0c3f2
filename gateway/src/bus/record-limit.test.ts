import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { recordConnectionUnderTest } from './bus-under-test.ts'
import { CuttablePart } from './record-message.ts'
import { createRecordPublisher } from './record-publisher.ts'

// Rules: docs/reference/kept-records.md#stream, docs/reference/record.md#cuts

test('records are cut to a max_msg_size that the stream was given while they are published', async (context) => {
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  const config = { name: 'records_llm', subjects: ['llm.gl.logger'] }
  await kept.request('CREATE', config)
  await using connection = recordConnectionUnderTest(server)
  const lost: string[] = []
  const publisher = createRecordPublisher({
    connection,
    subject: 'llm.gl.logger',
    usesStream: true,
    logger: connection.logger,
    queueBytes: 1_000_000,
    messageIdPrefix: 'GATEWAY1-1',
    onEarlierLosses: () => undefined,
    onWait: () => undefined,
    onPublished: () => undefined,
    onLost: (_, reason) => lost.push(reason),
  })
  context.after(() => publisher.close())
  const empty = async (): Promise<void> => {
    while (publisher.queuedBytes > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const cuttable = (serial: number) => {
    const payload = Buffer.from(JSON.stringify('x'.repeat(40_000)))
    return { router: '/a/', parts: [`{"serial":${serial},"payload":`, new CuttablePart('payload', payload)], cut: [] }
  }
  publisher.publish(cuttable(1))
  await empty()
  await kept.request('UPDATE', { ...config, max_msg_size: 10_000 })
  for (const serial of [2, 3, 4]) publisher.publish(cuttable(serial))
  await empty()
  assert.deepEqual(
    (await kept.read()).map(({ text }) => JSON.parse(text).serial),
    [1, 2, 3, 4],
  )
  assert.deepEqual(lost, [])
})
