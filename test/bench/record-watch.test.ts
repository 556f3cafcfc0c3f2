import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { chatBody, writeSerial } from './chat-body.ts'
import { watchRecords } from './record-watch.ts'

const ANSWER = '{"id":"a"}'

test('a record counts only if its payload equals the request that was sent with its serial', async () => {
  await using server = await startNatsServer({ token: 't' })
  await using client = await connectBusClient(server)
  await using watch = await watchRecords({ port: server.port, token: 't', subject: 'llm.gl.logger' })
  const body = chatBody(200_000, 'ascii')
  const sent = (serial: number): string => {
    writeSerial(body.bytes, body.serialOffset, serial)
    return body.bytes.toString()
  }
  const publish = (ingress: string, outbound = ingress, egress = ANSWER): void => {
    const request = `{"ingress_payload":${ingress},"outbound_payload":${outbound}}`
    client.publish('llm.gl.logger', Buffer.from(`{"request":${request},"response":{"egress_payload":${egress}}}`))
  }
  const expected = { template: chatBody(200_000, 'ascii').bytes, serialOffset: body.serialOffset, answer: ANSWER }
  await watch.expect({ ...expected, firstSerial: 10, capacity: 100 })
  for (let serial = 10; serial < 60; serial += 1) publish(sent(serial))
  publish(sent(10))
  publish(sent(9))
  publish(sent(61), sent(62))
  publish(sent(63).replace('lorem', 'ipsum'))
  publish('{"cut":true,"bytes":3,"head":"x"}')
  publish(sent(64), sent(64), '{"id":"b"}')
  publish(sent(65))
  assert.deepEqual(await watch.settled(51, 30_000), { received: 51, wrong: 4, repeats: 1, late: 1, disconnected: 0 })
  await watch.expect({ ...expected, firstSerial: 100, capacity: 10 })
  assert.deepEqual(watch.counts, { received: 0, wrong: 0, repeats: 0, late: 0, disconnected: 0 })
})
