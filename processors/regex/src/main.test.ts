import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { testWithRe2 } from './with-re2-under-test.ts'

// Rules: docs/reference/processors.md#regex, docs/reference/environment-variables.md#single-processors

const MAIN = join(import.meta.dirname, 'main.ts')
const FENCE = '```'

testWithRe2('the program adds the regex result to an answer on the bus, MATCH_JSON goes before its file', async () => {
  await using server = await startNatsServer()
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token, MATCH_JSON: 'off' }
  await using program = await startProgram({ command: process.execPath, args: [MAIN], environment })
  await waitForLine(program, /"service":"regex".*processor initialized/)
  await using outside = await connectBusClient(server)
  const payload = { choices: [{ message: { content: `${FENCE}json\n{"a":1}\n${FENCE}` } }] }
  const message = { gl_path: '/json/', egress_payload: payload }
  const reply = await outside.request('llm.gl.regex', Buffer.from(JSON.stringify(message)))
  const regex = { match: true, sections: [{ text: '{"a":1}', object: null }] }
  assert.deepEqual(JSON.parse(Buffer.from(reply).toString()), { egress_payload: { ...payload, regex } })
  assert.deepEqual(await program.stop(), { code: 0, signal: null })
})

testWithRe2('a bad pattern is rejected at start by its place in the file, and is not in the log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-regex-'))
  try {
    const file = join(folder, 'regex_config.json')
    await writeFile(file, '{"patterns":[{"pattern":"fine"},{"pattern":"secret(?!x)","field":"other"}]}')
    for (const args of [['--validate'], []]) {
      await using program = await startProgram({ command: process.execPath, args: [MAIN, '-o', file, ...args] })
      assert.equal((await program.exited).code, 1)
      const output = program.lines.entries.join('\n')
      assert.match(output, /"level":"ERROR".*"regex_config.patterns\[1\].pattern":"lookaround:"/)
      assert.doesNotMatch(output, /secret/)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('without the native addon the program logs the reason and ends with 1, and --version works', async () => {
  const args = ['--no-addons', MAIN]
  await using program = await startProgram({ command: process.execPath, args })
  assert.equal((await program.exited).code, 1)
  const output = program.lines.entries.join('\n')
  assert.match(output, /"level":"ERROR".*"msg":"re2 not available"/)
  assert.doesNotMatch(output, /configuration/)
  await using version = await startProgram({ command: process.execPath, args: [...args, '--version'] })
  assert.equal((await version.exited).code, 0)
})
