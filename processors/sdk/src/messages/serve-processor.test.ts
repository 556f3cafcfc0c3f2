import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { Journal } from '@llm-gateway/test/fake/journal'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { busOptions } from '../bus/bus-options.ts'
import { connectBus } from '../bus/nats-bus.ts'
import { journalLogger } from '../program/journal-logger-under-test.ts'
import { AnswerText } from './answer-text.ts'
import { selectedFields } from './selected-fields.ts'
import { type ProcessorOptions, serveProcessor } from './serve-processor.ts'

// Rules: docs/reference/bus.md#request, docs/reference/bus.md#reply

const SUBJECT = 'llm.gl.test'
const bytes = (text: string) => new TextEncoder().encode(text)
const text = (message: Uint8Array) => new TextDecoder().decode(message)

const ANSWERS: readonly (readonly [string, ProcessorOptions['answer'], string])[] = [
  ['fields', (fields) => ({ size: fields.size }), '{"size":2}'],
  ['fields later', async (fields) => ({ got: fields.get('a') }), '{"got":1}'],
  ['nothing', () => undefined, '{}'],
  ['no fields', () => ({}), '{}'],
  ['__proto__ as a field', (fields) => ({ has: fields.has('__proto__') }), '{"has":true}'],
]

test('a processor answers the fields of a message with fields, or with {} when it has nothing to add', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  for (const [name, answer, expected] of ANSWERS) {
    const { processor, bus } = await launch(t, server, { answer })
    assert.equal(text(await outside.request(SUBJECT, bytes('{"a":1,"__proto__":2}'))), expected, name)
    await processor.drain()
    await bus.close()
  }
})

test('an exception, and a message that is not an object, get no answer and a log line', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const answer: ProcessorOptions['answer'] = (fields) => {
    if (fields.has('throw')) throw new TypeError('planted-secret')
    if (fields.has('reject')) return Promise.reject(new RangeError('planted-secret'))
    if (fields.has('hang')) return Promise.withResolvers<undefined>().promise
    if (fields.has('number')) return { number: 1n }
    if (fields.has('large')) return { text: 'x'.repeat(33 * 1024 * 1024) }
    return { fine: true }
  }
  const { logged, lines } = await launch(t, server, { answer, answerTimeoutMs: 20 })
  for (const message of [
    '{"throw":1}',
    '{"reject":1}',
    '{"hang":1}',
    '{"number":1}',
    '{"large":1}',
    '[1]',
    'nonsense',
  ]) {
    await assert.rejects(outside.request(SUBJECT, bytes(message), 200), message)
  }
  assert.equal(text(await outside.request(SUBJECT, bytes('{}'))), '{"fine":true}')
  await logged('message is not an object')
  await logged('answer not sent: it is too large for the bus, or the message has no reply subject')
  const names = () => lines.entries.flatMap((line) => ('name' in line.fields ? [line.fields.name] : []))
  await lines.waitUntil(() => names().includes('TimeoutError'))
  // The timeout of the hanging message may come after the next messages.
  assert.deepEqual(names().toSorted(), ['RangeError', 'TimeoutError', 'TypeError', 'TypeError'])
  assert.doesNotMatch(JSON.stringify(lines.entries), /planted-secret/)
})

test('a draining processor answers received messages, and new messages go to other replicas', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const open = Promise.withResolvers<void>()
  const arrived = new Journal<unknown>()
  const answer = async (fields: ReadonlyMap<string, unknown>) => {
    arrived.add(fields.get('n'))
    await open.promise
    return { n: fields.get('n') }
  }
  const { processor, bus } = await launch(t, server, { answer, concurrency: 1 })
  const replies = [1, 2, 3].map((n) => outside.request(SUBJECT, bytes(JSON.stringify({ n }))))
  await outside.flush()
  await arrived.waitForCount(1)
  const drained = processor.drain()
  open.resolve()
  await drained
  await bus.close()
  assert.deepEqual((await Promise.all(replies)).map(text), ['{"n":1}', '{"n":2}', '{"n":3}'])
  await assert.rejects(outside.request(SUBJECT, bytes('{}'), 500), { code: '503' })
})

test('a message is dropped undecoded once its deadline has passed, on its way or while it waits', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const open = Promise.withResolvers<void>()
  const begun = new Journal<unknown>()
  const outcomes = new Journal<string>()
  const answer = async (fields: ReadonlyMap<string, unknown>) => {
    begun.add(fields.get('n'))
    await open.promise
    return { n: fields.get('n') }
  }
  const { lines } = await launch(t, server, {
    answer,
    concurrency: 1,
    counted: (outcome) => outcomes.add(outcome),
  })
  outside.publish(SUBJECT, bytes('no JSON'), Date.now() - 1)
  const first = outside.request(SUBJECT, bytes('{"n":1}'))
  await begun.waitForCount(1)
  // If the message were decoded, the outcome would be `not an object`.
  await assert.rejects(outside.ask(SUBJECT, bytes('no JSON'), 20), { code: 'TIMEOUT' })
  // The timer of the request may end a millisecond before the clock of the deadline.
  await sleep(5)
  const answered = outside.ask(SUBJECT, bytes('{"n":2}'), 60_000)
  await outside.flush()
  open.resolve()
  assert.deepEqual([await first, await answered].map(text), ['{"n":1}', '{"n":2}'])
  // On a busy machine the second message that expires may come late, and is dropped while the first call runs.
  assert.deepEqual(outcomes.entries.toSorted(), ['answered', 'answered', 'expired', 'expired'])
  assert.deepEqual(
    lines.entries.map(({ message }) => message),
    ['message came after its deadline'],
  )
})

test('work that misses its deadline is given up, and the next message takes its place', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const outcomes = new Journal<string>()
  const answer: ProcessorOptions['answer'] = (fields, call) => {
    if (fields.has('hang')) return Promise.withResolvers<undefined>().promise
    return { isLimited: (call?.timeoutMs ?? 0) <= 60_000 }
  }
  await launch(t, server, { answer, concurrency: 1, counted: (outcome) => outcomes.add(outcome) })
  await assert.rejects(outside.ask(SUBJECT, bytes('{"hang":1}'), 20), { code: 'TIMEOUT' })
  assert.equal(text(await outside.ask(SUBJECT, bytes('{}'), 60_000)), '{"isLimited":true}')
  assert.deepEqual(outcomes.entries, ['expired', 'answered'])
})

test('messages that compute share the turns of the event loop, and another router’s message takes its turn', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const answered = new Journal<unknown>()
  let slicesOfTurn = 0
  let mostSlices = 0
  const endTurn = (): void => {
    mostSlices = Math.max(mostSlices, slicesOfTurn)
    slicesOfTurn = 0
  }
  const answer: ProcessorOptions['answer'] = async (fields, call) => {
    for (let slice = 0; slice < Number(fields.get('slices')); slice += 1) {
      if (slicesOfTurn === 0) setImmediate(endTurn)
      slicesOfTurn += 1
      const end = performance.now() + 5
      while (performance.now() < end);
      if (call?.isDue === true) await call.nextTurn()
    }
    answered.add(fields.get('gl_path'))
    return {}
  }
  await launch(t, server, { answer })
  const ask = (path: string, slices: number) =>
    outside.request(SUBJECT, bytes(JSON.stringify({ gl_path: path, slices })), 60_000)
  await Promise.all([...Array.from({ length: 40 }, () => ask('/flood/', 4)), ask('/other/', 4)])
  assert.ok(mostSlices <= 2, `${mostSlices} slices in a turn`)
  // A slice of the flood lies between two slices of the other router.
  assert.ok(answered.entries.indexOf('/other/') < 10, answered.entries.join(' '))
})

test('a router that the messages name in a header leaves a place free, which the message of another router takes', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const open = Promise.withResolvers<void>()
  const begun = new Journal<unknown>()
  const answer = async (fields: ReadonlyMap<string, unknown>) => {
    begun.add(fields.get('n'))
    if (fields.has('hold')) await open.promise
    return { n: fields.get('n') }
  }
  await launch(t, server, { answer, concurrency: 2 })
  const ask = (router: string, message: string) => outside.askFor(router, SUBJECT, bytes(message), 60_000)
  const flood = ['{"n":1,"hold":1}', '{"n":2,"hold":1}'].map((message) => ask('/flood/', message))
  await begun.waitForCount(1)
  // The header has precedence over the body: after a re-route the body names another router.
  const rerouted = ask('/flood/', '{"gl_path":"/calm/","n":3}')
  assert.equal(text(await ask('/calm/', '{"n":4}')), '{"n":4}')
  assert.deepEqual(begun.entries, [1, 4])
  open.resolve()
  await Promise.all([...flood, rerouted])
})

test('short messages have places beside long ones whose answers wait', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const open = Promise.withResolvers<void>()
  const begun = new Journal<unknown>()
  const answer = async (fields: ReadonlyMap<string, unknown>) => {
    begun.add(fields.get('n'))
    if (fields.has('hold')) await open.promise
    return { n: fields.get('n') }
  }
  const large = selectedFields(['n', 'hold'], answer)
  const { processor } = await launch(t, server, { answer, large, concurrency: 2 })
  const ask = (router: string, message: object) =>
    outside.askFor(router, SUBJECT, bytes(JSON.stringify(message)), 30_000)
  const long = ['/a/', '/b/'].map((router) => ask(router, { n: router, hold: 1, text: 'x'.repeat(20_000) }))
  await begun.waitForCount(2)
  assert.equal(text(await ask('/calm/', { n: 1 })), '{"n":1}')
  open.resolve()
  await Promise.all(long)
  await processor.close()
})

test('while seven routers have taken all places, the first message of an eighth is answered', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const open = Promise.withResolvers<void>()
  const begun = new Journal<unknown>()
  const answer = async (fields: ReadonlyMap<string, unknown>) => {
    begun.add(fields.get('n'))
    if (fields.has('hold')) await open.promise
    return { n: fields.get('n') }
  }
  await launch(t, server, { answer })
  const ask = (router: string, message: object) =>
    outside.askFor(router, SUBJECT, bytes(JSON.stringify(message)), 30_000)
  const flood = [1, 2, 3, 4, 5, 6, 7].flatMap((n) => Array.from({ length: 40 }, () => ask(`/${n}/`, { n, hold: 1 })))
  await begun.waitForCount(64)
  assert.equal(text(await ask('/8/', { n: 8 })), '{"n":8}')
  open.resolve()
  await Promise.all(flood)
})

test('a processor with takesLate gets messages after their deadline', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const seen = new Journal<unknown>()
  const answer = (fields: ReadonlyMap<string, unknown>): undefined => {
    seen.add(fields.get('n'))
  }
  await launch(t, server, { answer, takesLate: true })
  outside.publish(SUBJECT, bytes('{"n":1}'), Date.now() - 60_000)
  await seen.waitForCount(1)
})

test('large messages are read in a thread: hostile messages get no answer, and short messages overtake them', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const answer = (fields: ReadonlyMap<string, unknown>) => ({ n: fields.get('n'), size: fields.size })
  const { processor, logged, lines } = await launch(t, server, { answer, large: selectedFields(['n'], answer) })
  const order: string[] = []
  const askFor = async (name: string, message: string): Promise<string> => {
    const reply = text(await outside.request(SUBJECT, bytes(message), 60_000))
    order.push(name)
    return reply
  }
  const long = askFor('long', `{"n":1,"text":"${'x'.repeat(30 * 1024 * 1024)}"}`)
  const short = askFor('short', '{"n":2}')
  assert.equal(await short, '{"n":2,"size":1}')
  assert.equal(await long, '{"n":1,"size":1}')
  assert.deepEqual(order, ['short', 'long'])

  const mib = 1024 * 1024
  outside.publish(SUBJECT, bytes(`{"a":[${'{},'.repeat(4 * mib)}{}]}`))
  assert.match(JSON.stringify(await logged('processor gave no answer')), /MESSAGE_TOO_COMPLEX/)
  outside.publish(SUBJECT, bytes('['.repeat(mib)))
  outside.publish(SUBJECT, bytes(`[${'1,'.repeat(mib / 2)}1]`))
  await logged('message is not an object')
  await lines.waitUntil(() => lines.entries.length === 3)
  assert.equal(await askFor('after', `{"n":3,"text":"${'x'.repeat(mib)}"}`), '{"n":3,"size":1}')
  await processor.close()
})

test('large answer texts to small messages leave one in a turn, and routers take turns', async (t) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const part = bytes(`"${'x'.repeat(1024 * 1024)}"`)
  const open = Promise.withResolvers<void>()
  const begun = new Journal<unknown>()
  const outcomes = new Journal<string>()
  const answer: ProcessorOptions['answer'] = async (fields) => {
    begun.add(fields.get('gl_path'))
    await open.promise
    return new AnswerText([bytes(`{"path":"${fields.get('gl_path')}","text":`), part, bytes('}')])
  }
  await launch(t, server, { answer, counted: (outcome) => outcomes.add(outcome) })
  const order: string[] = []
  const paths = ['/a/', '/a/', '/a/', '/a/', '/b/']
  const replies = paths.map(async (path) => {
    const reply = text(await outside.request(SUBJECT, bytes(`{"gl_path":"${path}"}`), 60_000))
    order.push(JSON.parse(reply).path)
    assert.equal(JSON.parse(reply).text.length, 1024 * 1024)
  })
  await begun.waitForCount(paths.length)
  open.resolve()
  await Promise.all(replies)
  assert.deepEqual(order, ['/a/', '/a/', '/b/', '/a/', '/a/'])
  assert.deepEqual(outcomes.entries, Array(5).fill('answered'))
})

test('the bus is killed and restarted: the processor answers again', async (t) => {
  await using server = await startNatsServer()
  const { logged } = await launch(t, server, { answer: () => ({ ok: true }) })
  await server.kill('SIGKILL')
  await logged('bus disconnected')
  await server.restart()
  await logged('bus reconnected')
  await using outside = await connectBusClient(server)
  assert.equal(text(await outside.request(SUBJECT, bytes('{}'))), '{"ok":true}')
})

/** Starts a processor, whose connection ends with the test however it ends: an open one would keep the process alive. */
async function launch(
  t: TestContext,
  server: NatsServer,
  options: Omit<ProcessorOptions, 'bus' | 'subject' | 'logger'>,
) {
  const { logger, lines, logged } = journalLogger()
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger, random: () => 0 })
  assert.ok(bus)
  t.after(() => bus.close())
  const processor = await serveProcessor({ ...options, bus, subject: SUBJECT, logger })
  return { processor, bus, lines, logged }
}
