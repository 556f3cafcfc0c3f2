import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { headOf, manyNames, publishHead } from '@llm-gateway/test/fake/publish-head'
import { journalLogger } from '../program/journal-logger-under-test.ts'
import { busOptions } from './bus-options.ts'
import type { StreamMessage } from './bus-streams.ts'
import { connectBus } from './nats-bus.ts'

// A stream takes 64 KiB of headers.
test('messages with an invalid header name, or with very many names, are pulled like other messages', async () => {
  await using stream = await openStream()
  await publishHead(stream.server, 's', { head: headOf('A B: x', 'Wanted: 1') })
  await publishHead(stream.server, 's', { head: headOf('Wanted: 2', manyNames(9_000)) })
  await publishHead(stream.server, 's', { head: headOf('Other: 3') })
  const seen: (string | undefined)[] = []
  const end = await stream.pull(3, (message) => {
    seen.push(message.header('wanted'))
    message.acknowledge()
  })
  assert.deepEqual([end, ...seen], ['full', '1', '2', undefined])
})

test('an exception of a reader is logged, and the next message arrives', async () => {
  await using stream = await openStream()
  for (const text of ['bad', 'good', 'bad']) await stream.bus.streams.keep('s', Buffer.from(text), {})
  const seen: string[] = []
  const end = await stream.pull(3, ({ bytes }) => {
    const text = Buffer.from(bytes).toString()
    if (text === 'bad') throw new RangeError('secret text')
    seen.push(text)
  })
  assert.deepEqual([end, ...seen], ['full', 'good'])
  const failures = stream.lines.entries.map(({ fields }) => fields)
  assert.deepEqual(failures, Array(2).fill({ code: 'RECEIVE', name: 'RangeError' }))
})

/** Opens a bus whose stream keeps the subject `s`, and a durable consumer of the stream. */
async function openStream() {
  const server = await startNatsServer({ jetstream: true })
  const options = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(options)
  const { logger, lines } = journalLogger()
  const bus = await connectBus({ ...options, name: 'test', logger })
  assert.ok(bus)
  const settings = { name: 'test', subject: 's', maxBytes: 64 * 1024 * 1024, maxAgeMs: 3_600_000 }
  assert.equal((await bus.streams.makeStream(settings)).kind, 'found')
  const consumer = { name: 'reader', start: { kind: 'beginning' } } as const
  assert.equal((await bus.streams.makeConsumer('test', consumer)).kind, 'found')
  return {
    server,
    bus,
    lines,
    pull: async (messages: number, receive: (message: StreamMessage) => void) => {
      const bounds = { messages, bytes: 32 * 1024 * 1024, waitMs: 5_000 }
      return await bus.streams.pull({ stream: 'test', consumer: 'reader', ...bounds, receive }).ended
    },
    [Symbol.asyncDispose]: async () => {
      await bus.close()
      await server.close()
    },
  }
}
