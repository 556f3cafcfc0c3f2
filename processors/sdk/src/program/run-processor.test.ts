import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorCode } from '@llm-gateway/conf/failure'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { metricUntil, readMetric } from '@llm-gateway/test/fake/metric'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { waitForLine } from '@llm-gateway/test/fake/program'
import { folderWith, runningTestProcessor, startTestProcessor, statusUntil } from './program-under-test.ts'

const SUBJECT = 'llm.gl.test'
const SUM = 'llm_processor_messages_total'

test('a processor is ready while it is subscribed, and healthy with and without the bus', async () => {
  const [busPort, port] = [await freePort(), await freePort()]
  const bus = { address: `127.0.0.1:${busPort}`, token: 'test-token' }
  await using program = await startTestProcessor({ bus, environment: { PROCESSOR_PORT: String(port) } })
  const url = `http://127.0.0.1:${port}`
  await statusUntil(`${url}/healthz`, 200)
  await statusUntil(`${url}/readyz`, 503)
  await using server = await startNatsServer({ port: busPort })
  await statusUntil(`${url}/readyz`, 200)
  await server.kill('SIGKILL')
  await statusUntil(`${url}/readyz`, 503)
  await statusUntil(`${url}/healthz`, 200)
  assert.equal(await readMetric({ adminUrl: url }, 'llm_processor_bus_connected'), 0)
  await server.restart()
  await statusUntil(`${url}/readyz`, 200)
  await using outside = await connectBusClient(server)
  assert.equal(await ask(outside, {}), '{"rate":1}')
  assert.deepEqual(await program.stop(), { code: 0, signal: null })
})

test('metrics count the outcomes of messages', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const port = await freePort()
  const environment = { PROCESSOR_PORT: String(port), PROCESSOR_HOST: '127.0.0.1' }
  await using program = await runningTestProcessor({ bus: server, environment })
  const adminUrl = `http://127.0.0.1:${port}`
  const count = (outcome: string) => readMetric({ adminUrl }, SUM, { processor: 'test', outcome })
  assert.equal(await count('dropped'), 0)
  await ask(outside, {})
  await ask(outside, {})
  outside.publish(SUBJECT, Buffer.from('{"throw":1}'))
  outside.publish(SUBJECT, Buffer.from('[]'))
  await metricUntil(
    () => count('not an object'),
    (sum) => sum === 1,
  )
  assert.deepEqual([await count('answered'), await count('failed')], [2, 1])

  // One message is in work, one waits, two are too many.
  const first = ask(outside, { hang: 1 })
  await waitForLine(program, /hanging/)
  const second = ask(outside, {})
  await outside.flush()
  for (let i = 0; i < 2; i += 1) outside.publish(SUBJECT, Buffer.from('{}'))
  await metricUntil(
    () => count('dropped'),
    (sum) => sum === 2,
  )
  const gauges = ['inflight_messages', 'waiting_messages', 'overloaded'].map((name) =>
    readMetric({ adminUrl }, `llm_processor_${name}`),
  )
  assert.deepEqual(await Promise.all(gauges), [1, 1, 1])
  program.kill('SIGUSR2')
  assert.deepEqual(await Promise.all([first, second]), ['{"rate":1}', '{"rate":1}'])
  await metricUntil(
    () => readMetric({ adminUrl }, 'llm_processor_overloaded'),
    (value) => value === 0,
  )
  assert.equal(await readMetric({ adminUrl }, 'llm_processor_seconds_count'), 6)
  await waitForLine(program, /"dropped":2.*processor no longer overloaded/)
})

test('a PROCESSOR_PORT that is taken is a warning, and the processor answers', async (context) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const port = await freePort()
  const other = createServer().listen(port, '127.0.0.1')
  context.after(() => other.close())
  const environment = { PROCESSOR_PORT: String(port), PROCESSOR_HOST: '127.0.0.1' }
  await using program = await runningTestProcessor({ bus: server, environment })
  await waitForLine(program, /"level":"WARN".*"code":"EADDRINUSE".*processor port not available/)
  assert.equal(await ask(outside, {}), '{"rate":1}')
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`at ${signal} a processor answers its messages, closes and ends with 0`, {
    timeout: 180_000,
  }, async () => {
    await using server = await startNatsServer()
    await using outside = await connectBusClient(server)
    await using program = await runningTestProcessor({ bus: server })
    const replies = [ask(outside, { hang: 1 }), ask(outside, {})]
    await waitForLine(program, /hanging/)
    await outside.flush()
    program.kill(signal)
    // The subscription is gone, so the drain has begun.
    await nobodySubscribed(outside)
    program.kill('SIGUSR2')
    assert.deepEqual(await Promise.all(replies), ['{"rate":1}', '{"rate":1}'])
    assert.deepEqual(await program.exited, { code: 0, signal: null })
    assert.match(program.lines.entries.at(-1) ?? '', /"msg":"closed"/)
  })
}

test('a processor that waits for the bus ends with 0 at SIGTERM', async () => {
  const bus = { address: `127.0.0.1:${await freePort()}`, token: 'test-token' }
  await using program = await startTestProcessor({ bus })
  await waitForLine(program, /bus not reachable/)
  assert.deepEqual(await program.stop(), { code: 0, signal: null })
})

test('background failures are logged, and a rejected promise does not end the program', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const port = await freePort()
  await using program = await runningTestProcessor({ bus: server, environment: { PROCESSOR_PORT: String(port) } })
  assert.equal(await ask(outside, { reject: 1 }), '{"rate":1}')
  await waitForLine(
    program,
    /"level":"ERROR".*"name":"RangeError","at":"main\.ts:\d+","msg":"background work of the processor failed"/,
  )
  const read = () => readMetric({ adminUrl: `http://127.0.0.1:${port}` }, 'llm_processor_background_failures_total')
  await metricUntil(read, (sum) => sum === 1)
  assert.equal(await ask(outside, { crash: 1 }), '{"rate":1}')
  await waitForLine(program, /"level":"ERROR".*"name":"RangeError","at":"main\.ts:\d+","msg":"uncaught exception/)
  assert.deepEqual(await program.exited, { code: 1, signal: null })
  assert.match(program.lines.entries.at(-1) ?? '', /"msg":"closed"/)
  assert.doesNotMatch(program.lines.entries.join('\n'), /planted-secret/)
})

test('a processor keeps state in the bus and works without a store', async () => {
  for (const [options, kind] of [
    [{ jetstream: true }, 'missing'],
    [{}, 'failed'],
  ] as const) {
    await using server = await startNatsServer(options)
    await using outside = await connectBusClient(server)
    await using program = await runningTestProcessor({ bus: server })
    await waitForLine(program, /"store":"failed","msg":"created"/)
    assert.equal(await ask(outside, { store: 1 }), JSON.stringify({ store: kind }))
  }
})

test('BUS_PREFIX and PROCESSOR_SUBJECT set the subject of a processor', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const places = [
    [{ BUS_PREFIX: 'acme' }, 'acme.gl.test'],
    [{ BUS_PREFIX: 'acme', PROCESSOR_SUBJECT: 'acme.gl.other' }, 'acme.gl.other'],
    [{ BUS_PREFIX: '', PROCESSOR_SUBJECT: '' }, SUBJECT],
  ] as const
  for (const [environment, subject] of places) {
    await using program = await runningTestProcessor({ bus: server, environment })
    await waitForLine(program, /"subject":"[a-z.]+","msg":"processor initialized"/)
    assert.equal(Buffer.from(await outside.request(subject, Buffer.from('{}'))).toString(), '{"rate":1}')
  }
})

test('a settings file may have the address of the bus, with the token in SECRETS_DIR', async (context) => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const folder = await folderWith(context, {
    'test.json': JSON.stringify({ service_bus: { hostname: server.address }, rate: '${RATE_OF_FILE}' }),
    NATS_TOKEN: `${server.token}\n`,
    RATE_OF_FILE: '7\n',
  })
  const environment = { SECRETS_DIR: folder, PROCESSOR_CONFIG: join(folder, 'test.json') }
  await using program = await runningTestProcessor({ environment })
  assert.equal(await ask(outside, {}), '{"rate":7}')
  await program.stop()
  await using overruled = await runningTestProcessor({ environment: { ...environment, RATE: '0.5' } })
  assert.equal(await ask(outside, {}), '{"rate":0.5}')
  assert.equal((await overruled.stop()).code, 0)
})

async function ask(bus: BusClient, fields: object): Promise<string> {
  return Buffer.from(await bus.request(SUBJECT, Buffer.from(JSON.stringify(fields)), 20_000)).toString()
}

/** Asks until there are no responders. The processor drops these messages, since one already waits. */
async function nobodySubscribed(bus: BusClient): Promise<void> {
  const code = async (): Promise<unknown> => {
    return await bus.request(SUBJECT, Buffer.from('{}'), 50).catch((error: unknown) => errorCode(error))
  }
  while ((await code()) !== '503');
}
