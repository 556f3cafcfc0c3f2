// Runs in a process and a network of its own: the shipped files name fixed ports, and Azure's metadata service has a
// fixed address.
// argv: LIBRARY, which makes folders behave like shares.
import assert from 'node:assert/strict'
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startLlm } from '@llm-gateway/test/fake/llm'
import { jsonAnswer } from '@llm-gateway/test/fake/llm-answer'
import { assertQuiet, CHECKOUT, callGateway, sharesWith, until } from '../starting/started-under-test.ts'
import { type AzureRow, startAzure } from './reading/azure-under-test.ts'
import { failContainer, probeContainer, startContainer } from './reading/container-under-test.ts'
import { RECORD_COLUMNS } from './resources/record-columns.ts'
import { SECTIONS } from './workbook/queries.ts'

const LIBRARY = process.argv[2] ?? ''
const STATUS = 'http://127.0.0.1:9464/status'
const ASIDE = /^llm-gateway-\d+T\d+Z\.jsonl$/
const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }

test('on empty shares the container fills them, serves, and sends rows that fit the table and the workbook', async () => {
  await using llm = await startLlm()
  await using azure = await startAzure()
  await using shares = await sharesWith(undefined)
  const place = { root: shares.path, library: LIBRARY, aiServiceApiBase: llm.url, logsUrl: azure.url }
  llm.respond(() => jsonAnswer({ model: 'm-1', choices: [{ message: { content: 'hi' } }], usage: USAGE }))
  await using program = await startContainer(place)
  assert.deepEqual(await probeContainer(place, 'livenessProbe'), { code: 0, said: '' })
  assert.deepEqual(await probeContainer(place, 'readinessProbe'), { code: 0, said: '' })

  const file = join(shares.path, 'app/conf/gl_config.json')
  const shipped = await readFile(file, 'utf8')
  assert.equal(shipped, await readFile(join(CHECKOUT, 'conf/gl_config.json'), 'utf8'))
  assert.equal((await callGateway('/service/standard/v1/chat/completions')).status, 200)
  assert.equal(llm.requests.entries[0]?.url, '/v1/chat/completions')
  const edited = withEveryRow(shipped)
  await editLive(file, edited)
  assert.equal((await callGateway('/service/standard/v1/chat/completions')).status, 200)
  llm.respond(() => ({ kind: 'reset' }))
  assert.equal((await callGateway('/service/standard/v1/chat/completions')).status, 502)

  await azure.rows.waitForCount(3)
  assertRows(azure.rows.entries)
  assert.deepEqual(new Set(azure.asked), new Set(['client_id=c-1 resource=https://monitor.azure.com/']))
  const log = join(shares.path, 'app/log/llm-gateway.jsonl')
  await until('three records in a file', async () => (await readFile(log, 'utf8')).split('\n').length === 4)
  assertQuiet(program)
  assert.equal((await program.stop()).code, 0)
  assert.deepEqual(await probeContainer(place, 'livenessProbe'), { code: 1, said: 'no program answers on port 9464' })

  const sink = join(shares.path, 'app/conf/nats2file_config.json')
  await writeFile(sink, (await readFile(sink, 'utf8')).replace('"append"', '"append", "rotate": { "bytes": 1 }'))
  await using again = await startContainer(place)
  assert.equal(await readFile(file, 'utf8'), edited)
  assert.equal((await callGateway('/echo/')).status, 200)
  await until('the renamed file', async () => (await readdir(dirname(log))).some((name) => ASIDE.test(name)))
  assertQuiet(again)
  assert.equal((await again.stop()).code, 0)
})

test('on shares of the previous version the container serves, keeps their files and adds missing files', async () => {
  await using llm = await startLlm()
  await using azure = await startAzure()
  const previous = join(CHECKOUT, 'test/fixtures/previous/conf')
  await using shares = await sharesWith(previous)
  const place = { root: shares.path, library: LIBRARY, aiServiceApiBase: llm.url, logsUrl: azure.url }
  await using program = await startContainer(place)
  for (const name of ['gl', 'ginit', 'gui', 'nats2file', 'nats2log', 'tokencounter'].map(
    (name) => `${name}_config.json`,
  ))
    assert.equal(
      await readFile(join(shares.path, 'app/conf', name), 'utf8'),
      await readFile(join(previous, name), 'utf8'),
      name,
    )
  await readFile(join(shares.path, 'app/conf/gl_config.schema.json'))
  assert.equal((await callGateway('/service/standard/v1/chat/completions')).status, 200)
  assert.equal((await program.stop()).code, 0)
})

test('the web interface answers to its IP address and its password, refuses an unknown host name, and deploys an edit', async () => {
  await using llm = await startLlm()
  await using azure = await startAzure()
  await using shares = await sharesWith(undefined)
  // A token and a password that configuration files could take for something else.
  const given = { webInterface: true, guiSecret: '"${NATS_TOKEN}" \\ %41', natsToken: '123456789012345678901234' }
  const place = { root: shares.path, library: LIBRARY, aiServiceApiBase: llm.url, logsUrl: azure.url, given }
  await using program = await startContainer(place)
  const ask = (host: string, secret: string) => askInterface({ host: `${host}:8080`, secret })
  await until('the web interface', async () => (await ask('20.1.2.3', given.guiSecret)) !== undefined)
  assert.equal(await ask('20.1.2.3', given.guiSecret), 200)
  assert.equal(await ask('20.1.2.3', 'another'), 401)
  assert.equal(await ask('llm-gateway-x.abc.westeurope.azurecontainer.io', given.guiSecret), 421)
  await deployEdit(join(shares.path, 'app/conf/gl_config.json'), given.guiSecret)
  assert.equal((await callGateway('/service/standard/v1/chat/completions')).status, 200)
  assert.equal((await program.stop()).code, 0)
})

test('on read-only shares with CRLF line ends the container serves and warns', async () => {
  await using llm = await startLlm()
  await using azure = await startAzure()
  await using shares = await sharesWith(undefined)
  const [conf, log] = ['conf', 'log'].map((name) => join(shares.path, 'app', name))
  assert.ok(conf && log)
  for (const folder of ['conf', 'conf/examples/azure'].map((path) => join(CHECKOUT, path)))
    for (const name of (await readdir(folder)).filter((file) => /\.(json|conf)$/.test(file)))
      await writeFile(join(conf, name), (await readFile(join(folder, name), 'utf8')).replaceAll('\n', '\r\n'))
  for (const share of [conf, log]) await chmod(share, 0o555)
  const place = { root: shares.path, library: LIBRARY, aiServiceApiBase: llm.url, logsUrl: azure.url }
  await using program = await startContainer(place)
  assert.equal((await callGateway('/service/standard/v1/chat/completions')).status, 200)
  await azure.rows.waitForCount(1)
  assert.match(program.lines.entries.join('\n'), /"level":"WARN".*"log folder is not writable/)
  assert.equal((await program.stop()).code, 0)
  await chmod(conf, 0o755)
  await rm(join(conf, 'tokencounter_config.json'))
  await chmod(conf, 0o555)
  const { code, said } = await failContainer(place)
  assert.equal(code, 1)
  assert.match(said, /"level":"ERROR".*"configuration files are missing and cannot be written"/)
})

type Question = { readonly host: string; readonly secret: string }

/** Asks the web interface for its files like a script; resolves with the status, undefined where nobody answers. */
function askInterface({ host, secret }: Question): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { Host: host, Authorization: `Bearer ${secret}` }
    const asked = request({ host: '127.0.0.1', port: 8080, path: '/api/v1/files', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.once('error', () => resolve(undefined))
    asked.end()
  })
}

/** Saves and deploys an edit of gl_config.json like a script; asserts that the gateway uses it. */
async function deployEdit(live: string, secret: string): Promise<void> {
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' }
  const send = async (method: string, path: string, body?: object) => {
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const answer = await fetch(`http://127.0.0.1:8080/api/v1/files/gl_config.json${path}`, sent)
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
  const edits = [{ op: 'set', path: ['log_level'], value: 'WARN' }]
  const saved = await send('PUT', '/draft', { tag: (await send('GET', '')).tag, edits })
  assert.equal((await send('POST', '/deploy', { tag: saved.tag })).result, 'live')
  assert.equal(JSON.parse(await readFile(live, 'utf8')).log_level, 'WARN')
}

/**
 * Adds rows of each kind to the shipped file: one with a processor that always runs, one with a processor that never
 * answers.
 */
function withEveryRow(text: string): string {
  const config = JSON.parse(text)
  const row = { name: 'again', service_bus_topic: 'llm.gl.tokencounter', timeout: 5_000, output_fields_write: [] }
  for (const phase of ['request', 'response'])
    config[phase].processors.push(
      [row, { ...row, name: 'nobody', service_bus_topic: 'llm.gl.nobody' }],
      [{ ...row, name: 'aside', async: true }],
    )
  return JSON.stringify(config)
}

async function editLive(file: string, text: string): Promise<void> {
  const digest = async () => /"digest":"([^"]+)"/.exec(await (await fetch(STATUS)).text())?.[1]
  const before = await digest()
  assert.ok(before)
  await writeFile(file, text)
  await until('the edit to be live', async () => (await digest()) !== before)
}

function assertRows(rows: readonly AzureRow[]): void {
  const types = new Map(RECORD_COLUMNS.map(({ name, type }) => [name, type]))
  assert.deepEqual(new Set(rows.flatMap(Object.keys)), new Set(types.keys()))
  for (const [name, value] of rows.flatMap((row) => Object.entries(row)))
    if (value !== null) assert.equal(kindOf(name, value), types.get(name), `${name}: ${value}`)
  const paths = new Set(rows.flatMap(({ Record }) => pathsOf(Record, 'Record')))
  const asked = SECTIONS.flatMap(({ queries }) => queries).flatMap(({ query }) => recordPaths(query))
  assert.ok(asked.length >= 10)
  for (const path of asked) assert.ok(paths.has(path), `no record has ${path}`)
}

function kindOf(name: string, value: unknown): string {
  if (Number.isSafeInteger(value)) return 'long'
  if (typeof value === 'object') return 'dynamic'
  return name === 'TimeGenerated' && !Number.isNaN(Date.parse(String(value))) ? 'datetime' : typeof value
}

/** Returns the record's fields that a query reads, directly or in entries of its lists of processors. */
function recordPaths(query: string): readonly string[] {
  const lists = [...query.matchAll(/Record\.\w+\.processors\w*/g)].map(([path]) => path)
  const members = [...query.matchAll(/\bProcessor\.([\w.]+)/g)].map(([, path = '']) => path)
  const own = [...query.matchAll(/\bRecord(\.\w+)+/g)].map(([path]) => path)
  return [...own, ...lists.flatMap((list) => members.map((path) => `${list}.*.${path}`))]
}

function pathsOf(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [path]
  const members = Object.entries(value).flatMap(([key, member]) =>
    pathsOf(member, `${path}.${Array.isArray(value) ? '*' : key}`),
  )
  return [path, ...members]
}
