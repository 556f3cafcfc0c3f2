import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { takenPorts } from './ports.ts'
import { createRun, until } from './run-under-test.ts'

const root = join(import.meta.dirname, '../..')
const CHAT = '/service/standard/v1/chat/completions'

test('make run: a call is answered by the demo, every processor adds to its record, and Ctrl-C leaves nothing behind', async () => {
  await using run = await createRun()
  const { child, exited, output } = run.start()
  await until('the first steps', () => output().includes('Ctrl-C stops everything.'), output)
  const { gateway, bus, web } = run.ports
  assert.ok(output().includes(`Web interface: http://localhost:${web}/login`), output())
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${gateway}${CHAT}`, { method: 'POST', headers, body })
  assert.equal(response.status, 200)
  assert.match(await response.text(), /demo answer/)

  const records = join(run.folder, 'app/log/llm-gateway.jsonl')
  await until('the record', () => existsSync(records) && readFileSync(records, 'utf8').endsWith('\n'))
  const record = JSON.parse(readFileSync(records, 'utf8'))
  assert.equal(record.transaction_id, response.headers.get('session-id'))
  assert.equal(record.response.gl_path, '/service/standard/')
  const { request, response: answered } = record
  assert.equal(request.character_count, body.length)
  assert.deepEqual(request.tokenizer, { gpt2: 1 })
  assert.deepEqual(Object.keys(request.nlp_entities), ['entities'])
  assert.equal(Object.keys(request.content_filter).length, 6)
  for (const name of ['tokenizer', 'nlp_entities', 'token_count']) assert.ok(answered[name] !== undefined, name)
  assert.deepEqual([request.error, answered.error], [undefined, undefined])

  const post = (path: string, payload: unknown) =>
    fetch(`http://127.0.0.1:${gateway}${path}`, { method: 'POST', headers, body: JSON.stringify(payload) })
  const replay = await post(`/mock${CHAT}`, {})
  assert.deepEqual([replay.status, (await replay.text()).includes('demo answer')], [200, true])
  const toxic = { messages: [{ role: 'user', content: 'You are a stupid idiot and I hate you.' }] }
  assert.equal((await post(CHAT, toxic)).status, 403)
  assert.equal((await post('/pool/gpt4/', JSON.parse(body))).status, 200)

  const secrets = readFileSync(join(run.folder, 'env'), 'utf8')
  assert.equal(statSync(join(run.folder, 'env')).mode & 0o777, 0o600)
  const consoleText = output() + readFileSync(join(run.folder, 'app/log/services.jsonl'), 'utf8')
  for (const [, value = ''] of secrets.matchAll(/=([0-9a-f]{64})/g)) assert.ok(!consoleText.includes(value))

  child.kill('SIGINT')
  assert.equal(await exited, 0)
  assert.deepEqual(await takenPorts([gateway, bus, web].map((port) => ({ port, file: '', key: '' }))), [])
  assert.ok(!existsSync(join(run.folder, 'pid')))
})

test('make run in a folder in which make run already runs says so and does not disturb the first', async () => {
  await using run = await createRun()
  const first = run.start({ AISERVICE_API_BASE: 'http://127.0.0.1:9' })
  await until('the first steps', () => first.output().includes('Ctrl-C stops everything.'), first.output)
  assert.doesNotMatch(first.output(), /demo/)
  assert.match(first.output(), /^Off: \/pool\/gpt35turbo\/, \/pool\/gpt4\/ \(AISERVICE_API_KEY unset\)$/m)
  const second = run.start()
  assert.equal(await second.exited, 1)
  assert.match(second.output(), /already running in this folder/)
  assert.equal((await fetch(`http://127.0.0.1:${run.ports.gateway}/echo/`, { method: 'POST', body: '{}' })).status, 200)
})

test('services end when make run and the supervisor are killed; make stop and the next run wait for them', async () => {
  await using run = await createRun()
  const start = async () => {
    const started = run.start()
    await until('the first steps', () => started.output().includes('Ctrl-C stops everything.'), started.output)
    const log = readFileSync(join(run.folder, 'app/log/services.jsonl'), 'utf8')
    const [, supervisor] = /"supervisor":(\d+)/.exec(log) ?? []
    return { ...started, supervisor: Number(supervisor) }
  }
  const ports = [run.ports.gateway, run.ports.bus].map((port) => ({ port, file: '', key: '' }))
  const killed = await start()
  killed.child.kill('SIGKILL')
  process.kill(killed.supervisor, 'SIGKILL')
  const again = await start()
  assert.match(again.output(), /an earlier make run in this folder was killed/)
  again.child.kill('SIGKILL')
  process.kill(again.supervisor, 'SIGKILL')
  const stop = spawn(process.execPath, [join(root, 'tools/run/main.ts'), 'stop'], {
    env: { ...process.env, RUN_DIR: run.folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let consoleText = ''
  stop.stdout.setEncoding('utf8').on('data', (text) => (consoleText += text))
  await once(stop, 'close')
  assert.match(consoleText, /waiting until its services have ended\nstopped\n$/)
  assert.deepEqual(await takenPorts(ports), [])
})

test('a used port is named together with the file that sets it, and nothing is started', async () => {
  await using run = await createRun()
  const other = createServer().listen(run.ports.bus, '127.0.0.1')
  await once(other, 'listening')
  const { exited, output } = run.start()
  assert.equal(await exited, 1)
  assert.match(output(), new RegExp(`port ${run.ports.bus} is in use.*nats-server\\.conf`))
  assert.doesNotMatch(output(), /service healthy|Ctrl-C/)
  other.close()
})

test('when a service can’t start all services end, with the reason on the console', async () => {
  await using run = await createRun()
  writeFileSync(join(run.folder, 'app/conf/gl_config.json'), `{"gl_port": ${run.ports.gateway}, "log_level": "LOUD"}`)
  const { exited, output } = run.start()
  assert.equal(await exited, 1)
  assert.match(output(), /ERROR gl: configuration file validation failed/)
  assert.deepEqual(await takenPorts([{ port: run.ports.bus, file: '', key: '' }]), [])
})

test('when an optional service can’t start the first steps name it, and calls are answered', async () => {
  await using run = await createRun()
  writeFileSync(join(run.folder, 'app/conf/nats2log_config.json'), '{"log_level": "LOUD"}')
  const { child, exited, output } = run.start()
  await until('the first steps', () => output().includes('Ctrl-C stops everything.') || child.exitCode !== null, output)
  assert.match(output(), /^Not running yet: nats2log\. /m)
  assert.equal((await fetch(`http://127.0.0.1:${run.ports.gateway}/echo/`, { method: 'POST', body: '{}' })).status, 200)
  child.kill('SIGINT')
  assert.equal(await exited, 0)
})
