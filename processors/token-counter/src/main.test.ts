import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'

// Rules: docs/reference/bus.md#connection, docs/reference/configuration-rules.md#where-the-files-are

const MAIN = join(import.meta.dirname, 'main.ts')

test('the program runs from GATEWAY_HOST, NATS_TOKEN and PROCESSOR_CONFIG, and ends with 0 at SIGTERM', async (t) => {
  await using server = await startNatsServer()
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-counter-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'tokencounter.json')
  await writeFile(file, JSON.stringify({ service_bus: { token: '$NATS_TOKEN' } }))
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token, PROCESSOR_CONFIG: file }
  await using counter = await startProgram({ command: process.execPath, args: [MAIN], environment })
  await waitForLine(counter, /"service":"tokencounter".*processor initialized/)
  await using outside = await connectBusClient(server)
  const answer = { usage: { input_tokens: 4, output_tokens: 5 } }
  const message = { gl_path: '/any/', inbound_status_code: 200, inbound_payload: answer }
  const reply = await outside.request('llm.gl.tokencounter', Buffer.from(JSON.stringify(message)))
  const token_count = { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 }
  assert.deepEqual(JSON.parse(Buffer.from(reply).toString()), { token_count })
  assert.deepEqual(await counter.stop(), { code: 0, signal: null })
})

const COMMANDS: readonly (readonly [readonly string[], string, number, RegExp])[] = [
  [['--validate'], '{}', 0, /^$/],
  [['--validate'], '{"cap_period_seconds":0}', 1, /"level":"ERROR".*validation_errors.*cap_period_seconds/],
  [['--validate'], '{"service_bus":{"hostname":"a b"}}', 1, /service_bus.hostname":"address:"/],
  [['--version'], '{}', 0, /^\d+\.\d+\.\d+$/],
]

test('--validate shows whether the token counter would start, and --version prints its version', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-counter-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'tokencounter_config.json')
  for (const [options, text, code, output] of COMMANDS) {
    await writeFile(file, text)
    await using program = await startProgram({ command: process.execPath, args: [MAIN, '-o', file, ...options] })
    assert.equal((await program.exited).code, code, text)
    assert.match(program.lines.entries.join('\n'), output)
  }
})
