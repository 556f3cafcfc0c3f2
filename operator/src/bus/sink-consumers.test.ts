import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { Journal } from '@llm-gateway/test/fake/journal'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { decodeGateway } from '../kube/decode-resource.ts'
import { createSinkConsumers, type SinkConsumers } from './sink-consumers.ts'

const TOKEN = 'test-token'

function gatewayOf(): NonNullable<ReturnType<typeof decodeGateway>> {
  const metadata = {
    name: 'main',
    namespace: 'llm',
    uid: 'u',
    generation: 1,
    creationTimestamp: '2026-11-21T01:00:00Z',
  }
  const gateway = decodeGateway({ metadata, spec: {} })
  assert.ok(gateway)
  return gateway
}

function consumersAt(
  address: string,
  token = TOKEN,
): { readonly consumers: SinkConsumers; readonly logged: Journal<object> } {
  const logged = new Journal<object>()
  const object = { data: { token: Buffer.from(token).toString('base64') } }
  const write = (fields: object, msg: string): void => logged.add({ msg, ...fields })
  const consumers = createSinkConsumers({
    client: { get: async () => ({ kind: 'written', object }) },
    logger: { info: write, warn: write },
    addressOf: () => address,
  })
  return { consumers, logged }
}

async function untilReleased(consumers: SinkConsumers, name: string): Promise<void> {
  while (!consumers.release(gatewayOf(), name)) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('the consumer of a removed sink', () => {
  test('is deleted, also a second time; consumers of other sinks and of other programs stay', async () => {
    await using server = await startNatsServer({ jetstream: true })
    await using client = await connectBusClient(server)
    const ask = async (subject: string, body: object = {}): Promise<{ consumers?: readonly string[] }> =>
      JSON.parse(Buffer.from(await client.request(subject, Buffer.from(JSON.stringify(body)))).toString())
    await ask('$JS.API.STREAM.CREATE.records_llm', { name: 'records_llm', subjects: ['llm.gl.logger'] })
    for (const durable_name of ['nats2file', 'nats2s3', 'mine']) {
      const config = { durable_name, ack_policy: 'explicit' }
      await ask(`$JS.API.CONSUMER.DURABLE.CREATE.records_llm.${durable_name}`, { stream_name: 'records_llm', config })
    }
    const left = async () => (await ask('$JS.API.CONSUMER.NAMES.records_llm')).consumers
    const { consumers } = consumersAt(server.address)
    await untilReleased(consumers, 'main-sink-s3')
    assert.deepEqual(await left(), ['mine', 'nats2file'])
    await untilReleased(consumers, 'main-sink-s3')
    assert.equal(consumers.release(gatewayOf(), 'main-sink-mine'), true)
    assert.deepEqual(await left(), ['mine', 'nats2file'])
  })

  test('counts as deleted where the bus has no stream or no JetStream', async () => {
    for (const jetstream of [{ jetstream: true as const }, {}]) {
      await using server = await startNatsServer(jetstream)
      await untilReleased(consumersAt(server.address).consumers, 'main-sink-file')
    }
  })

  test('is deleted later while the bus does not answer or refuses the operator, without delaying a reconciliation', async () => {
    const port = await freePort()
    const away = consumersAt(`127.0.0.1:${port}`)
    assert.equal(away.consumers.release(gatewayOf(), 'main-sink-file'), false)
    await away.logged.waitFor((line) => 'code' in line && line.code === 'ECONNREFUSED')
    await using server = await startNatsServer({ jetstream: true, port })
    await untilReleased(away.consumers, 'main-sink-file')
    const refused = consumersAt(server.address, 'another')
    refused.consumers.release(gatewayOf(), 'main-sink-file')
    await refused.logged.waitFor((line) => 'code' in line && line.code === 'REFUSED')
    for (const [text, code] of [
      ['x'.repeat(300_000), 'TOO_LARGE'],
      ['', 'CLOSED'],
    ] as const) {
      const none = createServer((socket) => socket.on('error', () => undefined).end(text)).listen(0, '127.0.0.1')
      await new Promise((resolve) => none.once('listening', resolve))
      const place = none.address()
      assert.ok(typeof place === 'object' && place !== null)
      const faulty = consumersAt(`127.0.0.1:${place.port}`)
      faulty.consumers.release(gatewayOf(), 'main-sink-file')
      await faulty.logged.waitFor((line) => 'code' in line && line.code === code)
      none.close()
    }
  })
})
