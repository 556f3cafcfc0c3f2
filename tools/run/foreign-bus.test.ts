import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { createRun, until } from './run-under-test.ts'

test('make run: with a nats-server.conf of the user’s own, without JetStream, records reach the sinks', async () => {
  await using run = await createRun()
  const own = `listen: "127.0.0.1:${run.ports.bus}"\nauthorization { token: $NATS_TOKEN }\n`
  writeFileSync(join(run.folder, 'app/conf/nats-server.conf'), own)
  const { child, exited, output } = run.start()
  await until('the first steps', () => output().includes('Ctrl-C stops everything.') || child.exitCode !== null, output)
  assert.match(output(), /WARN gl: bus keeps no records .*records without a subscriber are lost and counted/)
  assert.match(output(), /WARN nats2file: bus keeps no records: those published while this sink is away are lost/)
  assert.match(output(), /WARN (broker|tokencounter): key-value store not available .*NO_STORE/)
  const headers = { 'Content-Type': 'application/json' }
  const url = `http://127.0.0.1:${run.ports.gateway}/service/standard/v1/chat/completions`
  for (const content of ['a', 'b', 'c']) {
    const body = JSON.stringify({ messages: [{ role: 'user', content }] })
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200)
  }
  const file = join(run.folder, 'app/log/llm-gateway.jsonl')
  const records = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0)
  await until('the records', () => records() === 3, output)
  child.kill('SIGINT')
  assert.equal(await exited, 0)
  assert.doesNotMatch(output(), /records lost|ERROR/)
})

test('make run: on a foreign bus without storage calls are served, and a message tells what happens to records', async () => {
  await using run = await createRun()
  const services = join(run.folder, 'app/conf/ginit_config.json')
  const shipped = JSON.parse(readFileSync(services, 'utf8'))
  const others = shipped.services.filter(({ name }: { name: string }) => name !== 'nats-server')
  writeFileSync(services, JSON.stringify({ ...shipped, services: others }))
  await using bus = await startNatsServer({ port: run.ports.bus })
  const { child, exited, output } = run.start({ NATS_TOKEN: bus.token })
  await until('the first steps', () => output().includes('Ctrl-C stops everything.') || child.exitCode !== null, output)
  assert.match(output(), /WARN gl: bus keeps no records .*records without a subscriber are lost/)
  assert.match(output(), /WARN nats2file: bus keeps no records: those published while this sink is away are lost/)
  const headers = { 'Content-Type': 'application/json' }
  const url = `http://127.0.0.1:${run.ports.gateway}/service/standard/v1/chat/completions`
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
  assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200)
  const records = join(run.folder, 'app/log/llm-gateway.jsonl')
  await until('the record', () => existsSync(records) && readFileSync(records, 'utf8').endsWith('\n'))
  child.kill('SIGINT')
  assert.equal(await exited, 0)
})
