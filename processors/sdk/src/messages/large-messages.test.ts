import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { Journal } from '@llm-gateway/test/fake/journal'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import type { BusMessage } from '../bus/bus.ts'
import { busOptions } from '../bus/bus-options.ts'
import { connectBus } from '../bus/nats-bus.ts'
import { journalLogger } from '../program/journal-logger-under-test.ts'
import { selectedFields } from './selected-fields.ts'
import { type ProcessorOptions, serveProcessor } from './serve-processor.ts'

// Rules: docs/reference/bus.md#request

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

const SUBJECT = 'llm.gl.test'
const MIB = 1024 * 1024
/** More than all waiting short messages may have. */
const HUGE = 'x'.repeat(17 * MIB)
/** More than a message of the main thread may have. */
const LONG = 'x'.repeat(20 * 1024)
const bytes = (fields: object) => new TextEncoder().encode(JSON.stringify(fields))
const text = (message: Uint8Array) => new TextDecoder().decode(message)

test('a huge message that waits keeps hardly more than its own bytes', async () => {
  using held = holdAnswers()
  const receivers: ((message: BusMessage) => void)[] = []
  const bus: ProcessorOptions['bus'] = {
    flush: async () => undefined,
    subscribe: async ({ receive }) => {
      receivers.push(receive)
      return { active: true, drain: async () => undefined }
    },
  }
  const { logger } = journalLogger()
  const processor = await serveProcessor({ bus, subject: SUBJECT, logger, answer: held.answer, concurrency: 1 })
  const replies = new Journal<string>()
  /** Receives a message in a buffer that is larger by half; returns the buffer. */
  const receive = (n: number): WeakRef<ArrayBufferLike> => {
    const message = bytes({ n, hold: true, text: 'x'.repeat(MIB) })
    const buffer = new ArrayBuffer(1.5 * message.length)
    const view = new Uint8Array(buffer, 0, message.length)
    view.set(message)
    const respond = (reply: Uint8Array): boolean => replies.add(text(reply)) === undefined
    for (const take of receivers) take({ bytes: view, header: () => undefined, respond })
    return new WeakRef(buffer)
  }
  receive(1)
  const waiting = receive(2)
  assert.equal(processor.load.waiting, 1)
  assert.ok(await isFreed(waiting))
  held.open()
  assert.deepEqual(await replies.waitForCount(2), ['{"n":1}', '{"n":2}'])
  await processor.close()
})

test('a large message that a thread reads is kept by the thread alone', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const released = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const large = { program: new URL('./held-messages-under-test.ts', import.meta.url), data: released.buffer }
  const answer = (fields: ReadonlyMap<string, unknown>) => ({ n: fields.get('n') })
  await using launched = await launch(server, { answer, large })
  const asked = settled(outside.request(SUBJECT, bytes({ n: 1, hold: true, text: HUGE }), 60_000))
  while (launched.processor.load.running === 0) await nextTurn()
  // The client of the bus keeps the last message until it reads the next one.
  assert.equal(text(await outside.request(SUBJECT, bytes({ n: 2 }), 60_000)), '{"n":2}')
  assert.ok(await isFreed(launched.buffers[0]))
  Atomics.store(released, 0, 1)
  Atomics.notify(released, 0)
  assert.equal(await asked, '{"n":1}')
})

test('a short message that waits keeps its own bytes, not the client’s buffer with those of other messages', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  using held = holdAnswers()
  await using launched = await launch(server, { answer: held.answer, concurrency: 1 })
  const { processor, buffers } = launched
  const ask = (fields: object) => settled(outside.request(SUBJECT, bytes(fields), 60_000))
  const first = ask({ n: 1, hold: true })
  await held.begun.waitForCount(1)
  const others: Promise<string>[] = []
  for (const n of [2, 3]) {
    others.push(ask({ n }))
    while (processor.load.waiting < others.length) await nextTurn()
  }
  assert.ok(await isFreed(buffers[1]))
  held.open()
  assert.deepEqual(await Promise.all([first, ...others]), ['{"n":1}', '{"n":2}', '{"n":3}'])
})

test('a large message that a thread has read is freed while the processor makes the answer', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  using held = holdAnswers()
  await using launched = await launch(server, { answer: held.answer })
  const asked = settled(outside.request(SUBJECT, bytes({ n: 1, hold: true, text: HUGE }), 60_000))
  await held.begun.waitForCount(1)
  // The client of the bus keeps the last message until it reads the next one.
  assert.equal(text(await outside.request(SUBJECT, bytes({ n: 2 }), 60_000)), '{"n":2}')
  assert.ok(await isFreed(launched.buffers[0]))
  held.open()
  assert.equal(await asked, '{"n":1}')
})

test('a large message that a thread has read counts with its read fields while it waits for a place', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  using held = holdAnswers()
  const outcomes = new Journal<string>()
  const counted = (outcome: string): void => outcomes.add(outcome)
  await using launched = await launch(server, { answer: held.answer, concurrency: 1, counted })
  const { processor } = launched
  const ask = (fields: object) => settled(outside.request(SUBJECT, bytes(fields), 60_000))
  const waits = async (messages: number): Promise<void> => {
    while (processor.load.waiting < messages && outcomes.total === 0) await nextTurn()
  }
  const first = ask({ n: 1, hold: true, text: LONG })
  await held.begun.waitForCount(1)
  const huge = ask({ n: 2, text: HUGE })
  await waits(1)
  assert.ok(processor.load.waitingBytes < 1_000, `${processor.load.waitingBytes} bytes`)
  const last = ask({ n: 3, text: LONG })
  await waits(2)
  assert.deepEqual(outcomes.entries, [])
  held.open()
  assert.deepEqual((await Promise.all([first, huge, last])).toSorted(), ['{"n":1}', '{"n":2}', '{"n":3}'])
})

for (const [size, content] of [
  ['long', 'x'.repeat(100 * 1024)],
  ['huge', HUGE],
] as const) {
  test(`a ${size} message that takes its thread’s time leaves a thread to the ${size} message of another router`, async () => {
    await using server = await startNatsServer()
    await using outside = await connectBusClient(server)
    const released = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const large = { program: new URL('./held-messages-under-test.ts', import.meta.url), data: released.buffer }
    await using launched = await launch(server, { answer: () => undefined, large })
    const ask = (router: string, fields: object, timeoutMs = 60_000) =>
      settled(outside.askFor(router, SUBJECT, bytes({ ...fields, text: content }), timeoutMs))
    const flood = [1, 2].map((n) => ask('/flood/', { n, hold: true }))
    while (launched.processor.load.waiting === 0) await nextTurn()
    assert.equal(await ask('/calm/', { n: 3 }, 30_000), '{"n":3}')
    assert.equal(launched.processor.load.waiting, 1)
    Atomics.store(released, 0, 1)
    Atomics.notify(released, 0)
    assert.deepEqual(await Promise.all(flood), ['{"n":1}', '{"n":2}'])
  })
}

test('a huge message that was given up keeps its place until its thread ends', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const data = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const large = { program: new URL('./held-messages-under-test.ts', import.meta.url), data }
  const { logger, lines, logged } = journalLogger()
  const outcomes = new Journal<readonly [outcome: string, linesBefore: number]>()
  const counted = (outcome: string): void => outcomes.add([outcome, lines.total])
  await using launched = await launch(server, { answer: () => undefined, large, counted }, logger)
  const ask = (fields: object, timeoutMs: number) =>
    outside.askFor('/flood/', SUBJECT, bytes({ ...fields, text: HUGE }), timeoutMs)
  // The thread has started then. A busy machine needs seconds for 17 MiB, and must hand them to the thread in time.
  assert.equal(await settled(ask({ n: 1 }, 60_000)), '{"n":1}')
  await assert.rejects(ask({ n: 2, hold: true }, 20_000), { code: 'TIMEOUT' })
  // Nothing releases the message, so that its thread is ended.
  await logged('thread ended unexpectedly; a new one starts')
  await outcomes.waitForCount(2)
  assert.deepEqual(outcomes.entries, [
    ['answered', 0],
    ['expired', 1],
  ])
  while (launched.processor.load.running > 0) await nextTurn()
})

async function isFreed(buffer: WeakRef<ArrayBufferLike> | undefined): Promise<boolean> {
  // A WeakRef keeps its target until the end of the turn in which it was made or read.
  await nextTurn()
  assert.ok(typeof collectGarbage === 'function')
  collectGarbage()
  return buffer?.deref() === undefined
}

/** Returns the text of a reply; the name of the error where a failed test closes the connection before the reply. */
async function settled(reply: Promise<Uint8Array>): Promise<string> {
  return await reply.then(text, (error) => String(error))
}

/** Makes a function whose answers to messages with `hold` wait until `open` is called, or the test ends. */
function holdAnswers() {
  const opened = Promise.withResolvers<void>()
  const begun = new Journal<unknown>()
  const answer = async (fields: ReadonlyMap<string, unknown>) => {
    begun.add(fields.get('n'))
    if (fields.has('hold')) await opened.promise
    return { n: fields.get('n') }
  }
  return { answer, begun, open: opened.resolve, [Symbol.dispose]: opened.resolve }
}

/** Starts a processor that reads large messages in threads; `buffers` are the buffers of the received messages. */
async function launch(
  server: NatsServer,
  options: Omit<ProcessorOptions, 'bus' | 'subject' | 'logger'>,
  logger = journalLogger().logger,
) {
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger, random: () => 0 })
  assert.ok(bus)
  const buffers: WeakRef<ArrayBufferLike>[] = []
  const watched: ProcessorOptions['bus'] = {
    flush: () => bus.flush(),
    subscribe: (subscription) => {
      const receive: typeof subscription.receive = (message) => {
        buffers.push(new WeakRef(message.bytes.buffer))
        subscription.receive(message)
      }
      return bus.subscribe({ ...subscription, receive })
    },
  }
  const large = selectedFields(['n', 'hold'], options.answer)
  const processor = await serveProcessor({ large, ...options, bus: watched, subject: SUBJECT, logger })
  const dispose = async (): Promise<void> => {
    await processor.close()
    await bus.close()
  }
  return { processor, buffers, [Symbol.asyncDispose]: dispose }
}
