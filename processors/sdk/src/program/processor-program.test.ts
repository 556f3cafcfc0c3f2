import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { busOptions } from '../bus/bus-options.ts'
import type { ProcessorDefinition, RunningProcessor } from './definition.ts'
import { journalLogger } from './journal-logger-under-test.ts'
import { ProcessorProgram } from './processor-program.ts'
import { noSettings } from './value-settings.ts'

const SUBJECT = 'llm.gl.test'

test('a message that is never answered does not keep a processor from ending', async () => {
  await using server = await startNatsServer()
  await using outside = await connectBusClient(server)
  const hanging = Promise.withResolvers<void>()
  const { ended, stop, logged } = program(server, {
    create: () => ({
      answer: () => {
        hanging.resolve()
        return Promise.withResolvers<undefined>().promise
      },
    }),
  })
  await logged('processor initialized')
  outside.publish(SUBJECT, Buffer.from('{}'))
  await hanging.promise
  stop.abort()
  assert.equal(await ended, 0)
  assert.deepEqual((await logged('processor ends with messages in work')).fields, { messages: 1 })
})

test('a processor ends when it is stopped during its start, and a failing close is logged', async () => {
  await using server = await startNatsServer()
  const starting = program(server, { create: () => Promise.withResolvers<RunningProcessor>().promise })
  starting.stop.abort()
  assert.equal(await starting.ended, 0)

  const close = async (): Promise<void> => {
    throw new RangeError('planted-secret')
  }
  const failing = program(server, { create: () => ({ answer: () => undefined, close }) })
  await failing.logged('processor initialized')
  failing.stop.abort()
  assert.equal(await failing.ended, 0)
  assert.equal((await failing.logged('processor not closed')).level, 'WARN')
  assert.doesNotMatch(JSON.stringify(failing.lines.entries), /planted-secret/)
})

test('a processor may wait for its shared state before it starts', async () => {
  await using server = await startNatsServer({ jetstream: true })
  const { ended, stop, logged } = program(server, {
    create: async (_, { keyValue }) => {
      const store = keyValue({ bucket: 'llm_test', maxBytes: 1_000_000, storage: 'memory' })
      await store.watch(() => undefined).ready
      return { answer: () => undefined }
    },
  })
  await logged('processor initialized')
  stop.abort()
  assert.equal(await ended, 0)
})

test('a processor that cannot start ends with 1 and does not wait for the bus', async () => {
  const { ended, logged } = program(
    { address: '127.0.0.1:1', token: undefined },
    {
      create: () => {
        throw new TypeError('planted-secret')
      },
    },
  )
  assert.equal(await ended, 1)
  assert.equal((await logged('processor could not start')).level, 'ERROR')
})

type Place = { readonly address: string; readonly token: string | undefined }

/** Runs a processor in this process; `stop` asks it to end. */
function program(server: Place, { create }: Pick<ProcessorDefinition<object>, 'create'>) {
  const { logger, logged, lines } = journalLogger()
  const bus = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(bus)
  const stop = new AbortController()
  const ended = new ProcessorProgram({
    // Longer than the drain. The timer of an answer that never comes keeps this process alive for this long.
    definition: { name: 'test', version: '1.2.3', settings: noSettings, limits: { answerTimeoutMs: 500 }, create },
    file: undefined,
    environment: {},
    logger,
    settings: {},
    plan: { subject: SUBJECT, bus, port: undefined },
    signal: stop.signal,
    drainTimeoutMs: 20,
  }).run()
  return { ended, stop, logged, lines }
}
