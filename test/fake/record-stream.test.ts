import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBusClient } from './bus-client.ts'
import { startNatsServer } from './nats-server.ts'
import { openRecordStream } from './record-stream.ts'

test('a record that is stored while the stream is read is shown, too', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  await using client = await connectBusClient(nats)
  await using stream = await openRecordStream(nats, 'kept')
  await stream.request('CREATE', { name: 'kept', subjects: ['kept'], storage: 'file' })
  const store = (text: string): Promise<Uint8Array> => client.ask('kept', Buffer.from(text), 30_000)
  await store('1')
  const shown: string[] = []
  await stream.each(async ({ text }) => {
    shown.push(text)
    if (shown.length < 3) await store(String(shown.length + 1))
  })
  assert.deepEqual(shown, ['1', '2', '3'])
})
