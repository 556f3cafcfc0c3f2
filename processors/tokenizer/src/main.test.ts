import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'

// Rules: docs/reference/processors.md#tokenizer

const MAIN = join(import.meta.dirname, 'main.ts')

test('the program counts the tokens of a request and of an answer on the bus', async () => {
  await using server = await startNatsServer()
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token }
  await using program = await startProgram({ command: process.execPath, args: [MAIN], environment })
  await waitForLine(program, /"service":"tokenizer".*processor initialized/)
  await using outside = await connectBusClient(server)
  const ask = async (message: object): Promise<unknown> => {
    const reply = await outside.request('llm.gl.tokenizer', Buffer.from(JSON.stringify(message)))
    return JSON.parse(Buffer.from(reply).toString())
  }
  const request = { gl_path: '/any/', ingress_payload: { messages: [{ role: 'user', content: 'hello world' }] } }
  const response = { gl_path: '/any/', inbound_payload: { choices: [{ message: { content: 'Hello, world!' } }] } }
  assert.deepEqual(await ask(request), { tokenizer: { gpt2: 2 } })
  assert.deepEqual(await ask(response), { tokenizer: { gpt2: 4 } })
  assert.deepEqual(await ask({ gl_path: '/mock/any/' }), {})
  assert.deepEqual(await program.stop(), { code: 0, signal: null })
})

const FILES: readonly (readonly [text: string, code: number, output: RegExp])[] = [
  ['{}', 0, /^$/],
  ['{"routers":[{"router":"default","encodings":["gpt2","o200k_base"]}],"max_characters":"1000"}', 0, /^$/],
  ['{"routers":[{"router":"default","encodings":["gpt9"]}]}', 1, /"tokenizer_config.routers\[0\].encodings/],
  ['{"max_characters":0}', 1, /"tokenizer_config.max_characters"/],
]

test('--validate shows whether the tokenizer would start with a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-tokenizer-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'tokenizer_config.json')
  for (const [text, code, output] of FILES) {
    await writeFile(file, text)
    await using program = await startProgram({ command: process.execPath, args: [MAIN, '-o', file, '--validate'] })
    assert.equal((await program.exited).code, code, text)
    assert.match(program.lines.entries.join('\n'), output)
  }
})
