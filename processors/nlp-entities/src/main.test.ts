import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'

// Rules: docs/reference/processors.md#nlp-entities

const MAIN = join(import.meta.dirname, 'main.ts')
const SUBJECT = 'llm.gl.nlpentities'

test('nlp entities answers the messages of its subject without a settings file, and ends with 0 at SIGTERM', async () => {
  await using server = await startNatsServer()
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token }
  await using program = await startProgram({ command: process.execPath, args: [MAIN], environment })
  await waitForLine(program, /"service":"nlpentities","subject":"llm\.gl\.nlpentities".*processor initialized/)
  await using outside = await connectBusClient(server)
  const ask = async (message: object): Promise<unknown> =>
    JSON.parse(Buffer.from(await outside.request(SUBJECT, Buffer.from(JSON.stringify(message)), 30_000)).toString())
  const messages = [{ role: 'user', content: 'Who were the founders of Microsoft?' }]
  assert.deepEqual(await ask({ outbound_payload: { messages, max_tokens: 15 } }), {
    nlp_entities: { entities: [{ text: 'Microsoft', label: 'ORG' }] },
  })
  assert.deepEqual(await ask({}), {})
  assert.deepEqual(await program.stop(), { code: 0, signal: null })
})

test('a file with an invalid endpoint is refused with the path of the setting, without its values', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-entities-'))
  const file = join(directory, 'nlpentities_config.json')
  const endpoint = { url: 'http://127.0.0.1:1/', headers: { 'X-Key': '${PLANTED_KEY}' } }
  await writeFile(file, JSON.stringify({ endpoint }))
  const exitCodeOf = async (key: string) => {
    const args = [MAIN, '-o', file, '--validate']
    await using program = await startProgram({ command: process.execPath, args, environment: { PLANTED_KEY: key } })
    if (key.includes('\n')) await waitForLine(program, /nlpentities_config\.endpoint\.headers":"header:"/)
    const { code } = await program.exited
    assert.ok(!program.lines.entries.some((line) => line.includes('planted')))
    return code
  }
  assert.equal(await exitCodeOf('planted'), 0)
  assert.equal(await exitCodeOf('planted\nX-Other: 1'), 1)
  await rm(directory, { recursive: true })
})
