import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Journal } from '@llm-gateway/test/fake/journal'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { headOf, manyNames, publishHead } from '@llm-gateway/test/fake/publish-head'
import { connect as connectLibrary } from 'nats'
import { encodeKey } from '../key-value/key-value.ts'
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

test('a message with an invalid header name, or with very many names, is read by its sequence', async () => {
  await using stream = await openStream()
  await publishHead(stream.server, 's', { head: headOf('A B: x', 'Wanted: 1'), payload: Buffer.from('payload') })
  await publishHead(stream.server, 's', {
    head: headOf('Wanted: 2', manyNames(9_000)),
    payload: Buffer.from('payload'),
  })
  for (const number of [1, 2]) {
    const found = await stream.bus.streams.message('test', number)
    assert.ok(found.kind === 'found')
    assert.equal(Buffer.from(found.value.bytes).toString(), 'payload')
    assert.deepEqual([found.value.header('wanted'), found.value.header('Other')], [String(number), undefined])
    // A name in the first and the last line that the reader looks at, and one after it.
    const last = [found.value.header('0'), found.value.header((61).toString(36)), found.value.header((62).toString(36))]
    assert.deepEqual(last, number === 1 ? [undefined, undefined, undefined] : ['b', 'b', undefined])
  }
})

test('a watch and a read of a bucket take entries with invalid header names, and statuses with them', async (t) => {
  await using stream = await openStream()
  const { server, bus } = stream
  const outside = await connectLibrary({ servers: server.address, ...(server.token && { token: server.token }) })
  t.after(() => outside.close())
  const pulls = new Journal<string>()
  outside.subscribe('$JS.API.CONSUMER.MSG.NEXT.>', { callback: (_, { reply = '' }) => pulls.add(reply) })
  await outside.flush()
  const keyValue = bus.keyValue({ bucket: 'b', maxBytes: 1024 * 1024, storage: 'memory' })
  const seen = new Journal<string>()
  const watch = keyValue.watch((key, entry) => seen.add(`${key} ${Buffer.from(entry?.value ?? []).toString()}`))
  await watch.ready
  const [inbox = ''] = await pulls.waitForCount(1)
  await publishHead(server, inbox, { head: headOf('A B: x') })
  await publishHead(server, `$KV.b.${encodeKey('key')}`, { head: headOf('A B: x'), payload: Buffer.from('1') })
  await publishHead(server, `$KV.b.${encodeKey('key')}`, { head: headOf(manyNames(9_000)), payload: Buffer.from('2') })
  await keyValue.put('other', Buffer.from('3'))
  assert.deepEqual(await seen.waitForCount(3), ['key 1', 'key 2', 'other 3'])
  const read = await keyValue.get('key')
  assert.ok(read.kind === 'found')
  assert.equal(Buffer.from(read.entry.value).toString(), '2')
  await watch.close()
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

test('a message that is given back for a time with fractions of a millisecond does not come before it', async () => {
  await using stream = await openStream()
  const pauses = { 'in an hour': 3_600_000.2986542, soon: 1.2986542 }
  for (const text of Object.keys(pauses)) await stream.bus.streams.keep('s', Buffer.from(text), {})
  const given = await stream.pull(2, ({ sequence, release }) => release(Object.values(pauses)[sequence - 1]))
  assert.equal(given, 'full')
  const seen: string[] = []
  // With another message the pull would be full.
  const end = await stream.pull(2, ({ bytes, acknowledge }) => {
    seen.push(Buffer.from(bytes).toString())
    acknowledge()
  })
  assert.deepEqual([end, ...seen], ['waited', 'soon'])
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
