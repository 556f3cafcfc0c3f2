import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'

// Rules: docs/reference/processors.md#character-count

const MAIN = join(import.meta.dirname, 'main.ts')

test('character count answers the messages of its subject, and ends with 0 at SIGTERM', async () => {
  await using server = await startNatsServer()
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token }
  await using counter = await startProgram({ command: process.execPath, args: [MAIN], environment })
  await waitForLine(counter, /"service":"charactercount","subject":"llm\.gl\.charactercount".*processor initialized/)
  await using outside = await connectBusClient(server)
  const ask = async (message: string): Promise<string> =>
    Buffer.from(await outside.request('llm.gl.charactercount', Buffer.from(message))).toString()
  assert.equal(await ask('{"ingress_payload": { "a": "👋" }}'), '{"character_count":9}')
  assert.equal(await ask('{"ingress_payload":null}'), '{}')
  assert.equal(await ask('{"outbound_payload":"x"}'), '{}')
  assert.deepEqual(await counter.stop(), { code: 0, signal: null })
})
