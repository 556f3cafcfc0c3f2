import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTokenCounterConfig, type TokenCounterConfig } from '@llm-gateway/conf'
import type { ProcessorEnvironment } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { runTokenCounter } from './run-token-counter.ts'

const ROUTER = '/service/capped/'
const ANSWER = { inbound_status_code: 200, inbound_payload: { usage: { total_tokens: 100 } } }

test('wire 6: the token counter counts, estimates and refuses over the bus, and ends when asked', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const counter = await started(server, {})
  const subject = 'llm.gl.tokencounter'
  assert.deepEqual(await ask(outside, subject, { gl_path: ROUTER, ingress_payload: {} }), {})
  const text = { ...ANSWER, inbound_payload: { choices: [{ message: { content: 'Hello, world!' } }] } }
  assert.deepEqual(await ask(outside, subject, { gl_path: '/service/standard/', ...text }), {
    token_count: { completion_tokens: 4, prompt_tokens: 0, total_tokens: 4, estimated: true },
  })
  assert.deepEqual(await ask(outside, subject, { gl_path: ROUTER, ...ANSWER }), {
    token_count: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 100 },
  })
  assert.deepEqual(await ask(outside, subject, { gl_path: ROUTER }), {
    control: { Error: 'Consumption Cap Exceeded. Try again later', Path: ROUTER },
    control_status_code: 429,
    control_headers: { 'Retry-After': ['120'] },
  })
  assert.equal(await counter.end(), 0)
  await assert.rejects(outside.request(subject, Buffer.from('{}'), 500), { code: '503' })
})

const SUBJECTS: readonly (readonly [ProcessorEnvironment, string])[] = [
  [{ BUS_PREFIX: 'acme' }, 'acme.gl.tokencounter'],
  [{ BUS_PREFIX: 'acme', PROCESSOR_SUBJECT: 'acme.gl.custom.counter' }, 'acme.gl.custom.counter'],
]

test('wire 2: BUS_PREFIX and PROCESSOR_SUBJECT say where the token counter listens', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  for (const [environment, subject] of SUBJECTS) {
    const counter = await started(server, environment)
    assert.deepEqual(await ask(outside, subject, { gl_path: '/any/' }), {})
    assert.equal(await counter.end(), 0)
  }
})

test('an address that can’t be one is a configuration error, shown without its value', async () => {
  const { logger, lines } = journalLogger()
  const signal = new AbortController().signal
  const config = settings({ hostname: 'planted-secret:99999' })
  assert.equal(await runTokenCounter({ config, environment: {}, logger, signal, now: Date.now }), 1)
  const fields = { validation_errors: { 'tokencounter_config.service_bus.hostname': 'address:' } }
  assert.deepEqual(lines.entries, [{ level: 'ERROR', message: 'configuration file validation failed', fields }])
})

async function started(server: NatsServer, environment: ProcessorEnvironment) {
  const { logger, said } = journalLogger()
  const stop = new AbortController()
  const config = settings({ hostname: server.address, token: server.token })
  // The start of a window, so that it can't end in the middle of a test.
  const program = { config, environment, logger, signal: stop.signal, now: () => 1_763_690_400_000 }
  const ended = runTokenCounter(program)
  await said('processor initialized')
  const end = async (): Promise<number> => {
    stop.abort()
    return await ended
  }
  return { end }
}

function settings(service_bus: { readonly hostname: string; readonly token?: string | undefined }): TokenCounterConfig {
  const check = checkTokenCounterConfig(Buffer.from(JSON.stringify({ service_bus })), { environment: {} })
  assert.ok(check.kind === 'checked')
  return check.config
}

async function ask(bus: BusClient, subject: string, message: object): Promise<unknown> {
  return JSON.parse(Buffer.from(await bus.request(subject, Buffer.from(JSON.stringify(message)))).toString())
}
