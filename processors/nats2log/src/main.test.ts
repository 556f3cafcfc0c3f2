import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'

// Rules: docs/reference/kept-records.md#sinks, docs/reference/configuration-rules.md#where-the-files-are

const MAIN = join(import.meta.dirname, 'main.ts')
const TOKEN = 'planted-token'

test('the program writes the records received before SIGTERM, ends with 0 and logs only JSON lines', async (t) => {
  await using server = await startNatsServer({ token: TOKEN })
  const folder = await directory(t)
  const file = await configuration(folder, server)
  await using sink = await run(['-o', file], { NATS_TOKEN: TOKEN })
  await waitForLine(sink, /sink initialized/)
  await using outside = await connectBusClient(server)
  for (let n = 0; n < 5_000; n++) outside.publish('llm.gl.logger', Buffer.from(`{"n":${n}}`))
  await outside.flush()
  assert.deepEqual(await sink.stop(), { code: 0, signal: null })
  const lines = (await readFile(join(folder, 'records.jsonl'), 'utf8')).trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).n),
    Array.from({ length: 5_000 }, (_, n) => n),
  )
  const logged = sink.lines.entries.map((line) => JSON.parse(line))
  assert.deepEqual(
    logged.map(({ level, msg, service }) => [level, msg, service]),
    [
      ['INFO', 'sink initialized', 'nats2file'],
      ['WARN', 'bus keeps no records: those published while this sink is away are lost', 'nats2file'],
      ['INFO', 'records written', 'nats2file'],
    ],
  )
  assert.doesNotMatch(sink.lines.entries.join('\n'), new RegExp(TOKEN))
})

test('a program that waits for the bus ends with 0 at SIGTERM', async (t) => {
  const file = await configuration(await directory(t), { address: '127.0.0.1:1' })
  await using sink = await run(['-o', file], { NATS_TOKEN: TOKEN })
  await waitForLine(sink, /bus not reachable/)
  assert.deepEqual(await sink.stop(), { code: 0, signal: null })
})

test('a sink that is killed while it writes and started again leaves whole lines', async (t) => {
  await using server = await startNatsServer({ token: TOKEN })
  const folder = await directory(t)
  const args = ['-o', await configuration(folder, server)]
  const records = join(folder, 'records.jsonl')
  await using outside = await connectBusClient(server)
  {
    await using sink = await run(args, { NATS_TOKEN: TOKEN })
    await waitForLine(sink, /sink initialized/)
    const text = 'x'.repeat(2_000)
    for (let n = 0; n < 20_000; n++) outside.publish('llm.gl.logger', Buffer.from(JSON.stringify({ n, text })))
    while ((await stat(records)).size === 0) await outside.flush()
    sink.kill('SIGKILL')
    await sink.exited
    // All records of this round are published by now, so none is left for the next sink.
    await outside.flush()
  }
  await using again = await run(args, { NATS_TOKEN: TOKEN })
  await waitForLine(again, /sink initialized/)
  outside.publish('llm.gl.logger', Buffer.from('{"n":"last"}'))
  await outside.flush()
  await again.stop()
  const lines = (await readFile(records, 'utf8')).split('\n')
  assert.equal(lines.pop(), '')
  const numbers = lines.map((line) => JSON.parse(line).n)
  assert.deepEqual(numbers, [...Array.from(numbers.keys()).slice(0, -1), 'last'])
})

const COMMANDS: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['a valid file', ['-o', 'fine.json', '--validate'], 0, /^$/],
  ['an unknown key', ['-o', 'unknown.json', '--validate'], 0, /"level":"WARN".*"unknown_keys":\[".*surplus"\]/],
  ['a bad value', ['-o', 'bad.json', '--validate'], 1, /"level":"ERROR".*"validation_errors":\{.*retries/],
  ['an invalid address', ['-o', 'address.json', '--validate'], 1, /service_bus.hostname":"address:"/],
  ['a valid Elasticsearch', ['-o', 'elastic.json', '--validate'], 0, /^$/],
  ['a workspace of Azure’s former API', ['-o', 'azure.json', '--validate'], 0, /"level":"WARN".*sink writes nothing/],
  ['invalid JSON', ['-o', 'broken.json', '--validate'], 1, /"level":"ERROR"/],
  ['a missing file', ['-o', 'absent.json'], 1, /FILE_NOT_READABLE/],
  ['no file', [], 1, /usage: -o FILE/],
  ['the version', ['--version'], 0, /^\d+\.\d+\.\d+$/],
]

test('--validate shows whether the sink would start, and --version prints its version', async (t) => {
  const folder = await directory(t)
  const writer = { mode: 'file_writer', file_writer: { filename: join(folder, 'r.jsonl') } }
  const azure = { workspace_id: 'w', shared_key: 'a2V5', log_type: 'LlmGateway' }
  const files: Readonly<Record<string, string>> = {
    'elastic.json': JSON.stringify({ mode: 'elastic_writer', elastic_writer: { url: 'http://logs', index: 'calls' } }),
    'azure.json': JSON.stringify({ mode: 'azure_log_analytics_writer', azure_log_analytics_writer: azure }),
    'fine.json': JSON.stringify(writer),
    'unknown.json': JSON.stringify({ ...writer, surplus: 1 }),
    'bad.json': JSON.stringify({ ...writer, retries: 'many' }),
    'address.json': JSON.stringify({ ...writer, service_bus: { hostname: 'a b' } }),
    'broken.json': '{',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  for (const [name, args, code, output] of COMMANDS) {
    await using program = await run(args, {}, folder)
    assert.equal((await program.exited).code, code, name)
    assert.match(program.lines.entries.join('\n'), output, name)
  }
})

async function run(args: readonly string[], environment: Record<string, string>, cwd?: string): Promise<Program> {
  const place = cwd === undefined ? {} : { cwd }
  return await startProgram({ command: process.execPath, args: [MAIN, ...args], environment, ...place })
}

async function configuration(folder: string, bus: Pick<NatsServer, 'address'>): Promise<string> {
  const file = join(folder, 'nats2file_config.json')
  const service_bus = { hostname: bus.address, token: '$NATS_TOKEN' }
  const file_writer = { filename: join(folder, 'records.jsonl') }
  await writeFile(file, JSON.stringify({ mode: 'file_writer', file_writer, service_bus }))
  return file
}

async function directory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'llm-gateway-sink-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}
