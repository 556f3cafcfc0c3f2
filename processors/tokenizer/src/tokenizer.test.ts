import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busOptions, connectBus, serveProcessor } from '@llm-gateway/sdk'
import { contextUnderTest } from '@llm-gateway/sdk/context-under-test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { slowText } from './slow-text-under-test.ts'
import { tokenizer } from './tokenizer.ts'

// Rules: docs/reference/processors.md#tokenizer

const SUBJECT = 'llm.gl.tokenizer'
const PATIENT_MS = 120_000

test('the messages of a router end one by one, and another router’s message is counted before its last ones', async () => {
  await using scene = await onTheBus()
  const text = slowText(15_000)
  const ended: string[] = []
  const ask = async (gl_path: string): Promise<void> => {
    const message = { gl_path, ingress_payload: { messages: [{ content: text }] } }
    await scene.outside.request(SUBJECT, Buffer.from(JSON.stringify(message)), PATIENT_MS)
    ended.push(gl_path)
  }
  const flood = Array.from({ length: 20 }, () => ask('/flood/'))
  await Promise.race(flood)
  await ask('/other/')
  assert.ok(ended.indexOf('/other/') < 10, ended.join(' '))
  await Promise.all(flood)
})

async function onTheBus() {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNatsServer())
  const outside = stack.use(await connectBusClient(server))
  const { log, ...context } = contextUnderTest()
  const { logger } = log
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger })
  assert.ok(bus)
  stack.defer(() => bus.close())
  const { settings, create } = tokenizer('1.0.0')
  const encodings = ['gpt2', 'cl100k_base', 'o200k_base']
  const running = await create(settings.parse({ routers: [{ router: 'default', encodings }] }), context)
  stack.defer(async () => await running.close?.())
  const processor = await serveProcessor({ ...running, bus, subject: SUBJECT, logger })
  stack.defer(async () => {
    await processor.drain()
    await processor.close()
  })
  return { outside, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
