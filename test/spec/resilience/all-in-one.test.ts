import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { type AllInOne, startAllInOne } from '../../fake/all-in-one.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import { startLoad } from '../../fake/load.ts'

// Rules: docs/reference/configuration-rules.md#files-of-the-other-programs, docs/reference/ginit-config.md

const PATH = '/service/standard/chat/completions'
const SERVICES = ['nats-server', 'gl', 'nats2file', 'nats2log', 'tokencounter']
const GIVE_UP_MS = 120_000

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + GIVE_UP_MS
  while (!(await holds())) {
    assert.ok(performance.now() < end, `waited for ${what}`)
    // Files and processes of other programs have no events, so they are polled.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function lastPid(all: AllInOne, service: string): number {
  return all.pids(service).at(-1) ?? assert.fail(`${service} never became healthy`)
}

/** Returns whether the processes of all starts have ended. An ended process that isn't reaped doesn't count. */
function hasNoProcess(all: AllInOne): boolean {
  return SERVICES.flatMap((service) => all.pids(service)).every((pid) => !existsSync(`/proc/${pid}/exe`))
}

async function ask(all: AllInOne): Promise<string> {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${all.url}${PATH}`, { method: 'POST', headers, body })
  assert.equal(answer.status, 200, await answer.text())
  return answer.headers.get('session-id') ?? ''
}

async function hasRecord(all: AllInOne, id: string): Promise<void> {
  await until(`the record of ${id}`, async () => {
    const records = await all.records()
    return records.some(({ transaction_id }) => transaction_id === id)
  })
}

test('a killed service is restarted, calls succeed, and SIGTERM leaves no process', async () => {
  await using llm = await startLlm()
  await using all = await startAllInOne(llm.url)
  await hasRecord(all, await ask(all))
  await using load = startLoad({ port: Number(new URL(all.url).port), paths: [PATH], rate: 50 })
  for (const service of ['nats2file', 'nats2log', 'tokencounter']) {
    process.kill(lastPid(all, service), 'SIGKILL')
    await until(`${service} to be healthy again`, () => all.pids(service).length === 2)
    await hasRecord(all, await ask(all))
  }
  await load.stop()
  assert.deepEqual([load.failed, load.failures], [0, []])
  assert.equal(all.program.lines.entries.filter((line) => line.includes('"service ended"')).length, 3)
  all.program.kill('SIGTERM')
  assert.deepEqual(await all.program.exited, { code: 0, signal: null })
  await until('all processes to be gone', () => hasNoProcess(all))
})

test('a bus killed under load fails no call and is restarted, and the records of the outage arrive', async () => {
  await using llm = await startLlm()
  await using all = await startAllInOne(llm.url)
  await hasRecord(all, await ask(all))
  await using load = startLoad({ port: Number(new URL(all.url).port), paths: [PATH], rate: 50 })
  await load.more(50)
  process.kill(lastPid(all, 'nats-server'), 'SIGKILL')
  const gap = await ask(all)
  await until('nats-server to be healthy again', () => all.pids('nats-server').length === 2)
  await hasRecord(all, gap)
  await load.more(50)
  await load.stop()
  await hasRecord(all, await ask(all))
  assert.deepEqual([load.failed, load.failures], [0, []])
  for (const service of SERVICES.slice(1)) assert.equal(all.pids(service).length, 1, service)
})

test('a killed gateway is restarted, and the other services keep running', async () => {
  await using llm = await startLlm()
  await using all = await startAllInOne(llm.url)
  process.kill(lastPid(all, 'gl'), 'SIGKILL')
  await until('gl to be healthy again', () => all.pids('gl').length === 2)
  await hasRecord(all, await ask(all))
  for (const service of SERVICES.filter((name) => name !== 'gl')) assert.equal(all.pids(service).length, 1, service)
})

test('an optional service that fails too often waits alone: calls succeed, and their records are kept', async () => {
  await using llm = await startLlm()
  await using all = await startAllInOne(llm.url)
  for (const service of ['nats2log', 'tokencounter']) {
    for (let kill = 1; kill <= 2; kill += 1) {
      await until(`start ${kill} of ${service}`, () => all.pids(service).length === kill)
      process.kill(lastPid(all, service), 'SIGKILL')
    }
    const waits = (line: string) => line.includes('"optional service failed too often') && line.includes(`"${service}"`)
    await until(`the wait of ${service}`, () => all.program.lines.entries.some(waits))
    await hasRecord(all, await ask(all))
  }
  for (const service of ['nats-server', 'gl', 'nats2file']) assert.equal(all.pids(service).length, 1, service)
  all.program.kill('SIGTERM')
  assert.deepEqual(await all.program.exited, { code: 0, signal: null })
  await until('all processes to be gone', () => hasNoProcess(all))
})

/** Sets die_promise for every service of the shipped file. */
const exitingProgram = (name: string, text: string): string =>
  name === 'ginit_config.json' ? text.replaceAll('"die_promise": false', '"die_promise": true') : text
const endings: readonly { readonly service: string; readonly kills: number; readonly diePromise?: true }[] = [
  { service: 'nats-server', kills: 1, diePromise: true },
  { service: 'gl', kills: 1, diePromise: true },
  { service: 'nats-server', kills: 2 },
  { service: 'nats2file', kills: 2 },
]
for (const { service, kills, diePromise } of endings) {
  const rule = diePromise ? 'die_promise' : 'max_starts'
  const says = diePromise
    ? '"service with die_promise failed; all services stop"'
    : '"service failed too often; all services stop"'
  test(`${rule}: ${service} killed ${kills} time(s) ends everything with exit code 1, and the record of a call is in the file`, async () => {
    await using llm: Llm = await startLlm()
    await using all = await startAllInOne(llm.url, diePromise ? { edit: exitingProgram } : {})
    const id = await ask(all)
    await hasRecord(all, id)
    for (let kill = 1; kill <= kills; kill += 1) {
      await until(`start ${kill} of ${service}`, () => all.pids(service).length === kill)
      process.kill(lastPid(all, service), 'SIGKILL')
    }
    assert.deepEqual(await all.program.exited, { code: 1, signal: null })
    assert.ok(all.program.lines.entries.some((line) => line.includes(says) && line.includes(`"${service}"`)))
    assert.ok((await all.records()).some(({ transaction_id }) => transaction_id === id))
    await until('all processes to be gone', () => hasNoProcess(all))
  })
}
