import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'

// Rules: docs/reference/processors.md#content-filter

const MAIN = join(import.meta.dirname, 'main.ts')
const SUBJECT = 'llm.gl.contentfilter'
const chat = (content: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      ingress_payload: {
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content },
        ],
      },
    }),
  )

test('the content filter answers the messages of its subject, also a toxic text inside 30 MB', async () => {
  await using server = await startNatsServer()
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token, REJECT_STATUS: '451' }
  await using filter = await startProgram({ command: process.execPath, args: [MAIN], environment })
  await waitForLine(filter, /"service":"contentfilter","subject":"llm\.gl\.contentfilter".*processor initialized/)
  await using outside = await connectBusClient(server)
  const ask = async (message: Buffer) =>
    JSON.parse(Buffer.from(await outside.request(SUBJECT, message, 120_000)).toString())
  const clean = await ask(chat('How do I kill a process?'))
  assert.deepEqual([clean.is_toxic, Object.keys(clean.content_filter).length, 'control' in clean], [false, 6, false])
  const padding = 'all is well in here. '.repeat(15_000_000 / 21)
  const large = ask(chat(`${padding} fuck you ${padding}`))
  // Other messages are answered meanwhile.
  const small = await ask(chat('you are a worthless idiot'))
  assert.deepEqual([small.is_toxic, small.control, small.control_status_code], [true, { is_toxic: true }, 451])
  assert.deepEqual((await large).control, { is_toxic: true })
  assert.deepEqual(await ask(Buffer.from('{"ingress_payload":{}}')), {})
  assert.deepEqual(await filter.stop(), { code: 0, signal: null })
})

test("a text that can't be scored has no answer, and the log has a code but neither text nor key", async () => {
  await using server = await startNatsServer()
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-filter-'))
  const file = join(folder, 'contentfilter_config.json')
  const endpoint = { url: 'http://127.0.0.1:1/v1/moderations', api_key: '${PLANTED_KEY}' }
  await writeFile(file, JSON.stringify({ scorer: 'endpoint', endpoint }))
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token, PLANTED_KEY: 'planted-key' }
  await using filter = await startProgram({ command: process.execPath, args: [MAIN, '-o', file], environment })
  await waitForLine(filter, /processor initialized/)
  await using outside = await connectBusClient(server)
  await assert.rejects(outside.request(SUBJECT, chat('planted-text'), 300))
  const line = await waitForLine(filter, /processor gave no answer/)
  assert.match(line, /"code":"ENDPOINT_UNREACHABLE"/)
  assert.doesNotMatch(line, /planted/)
  await rm(folder, { recursive: true })
})
