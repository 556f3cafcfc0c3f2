import assert from 'node:assert/strict'
import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { busOptions, connectBus, recordsOfStream } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { parseRecordsCommand } from './command-line.ts'

const HOUR_MS = 3_600_000
const now = Date.now()

function record(n: number, router: string, status: number): string {
  const start = new Date(now - n * HOUR_MS).toISOString()
  const session_id = `GATEWAY1_1_1_${n}`
  const response = { gl_path: router, original_gl_path: '/pool/', egress_status_code: status }
  return JSON.stringify({ n, session_id, response, ingress_egress_timer: { start } })
}
const RECORDS = [record(3, '/a/', 200), record(2, '/b/', 503), record(1, '/a/', 429), record(0, '/a/', 500)]

const QUESTIONS: readonly (readonly [string, readonly number[]])[] = [
  ['--since 150m', [2, 1, 0]],
  ['--router /a/', [3, 1, 0]],
  ['--router /pool/ --status 5xx', [2, 0]],
  ['--status 429,200', [3, 1]],
  ['--session GATEWAY1_1_1_2', [2]],
  ['--since 10d --router /none/', []],
]

test('the command reads records from files and from the stream by time, router, session and status', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-records-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [old, current] = [join(folder, 'r-old.jsonl.gz'), join(folder, 'r.jsonl')]
  await writeFile(old, gzipSync(`${RECORDS[0]}\n${RECORDS[1]}\n`))
  await writeFile(current, `${RECORDS[2]}\n\nno record\n${RECORDS[3]}\n`)
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger: journalLogger().logger })
  assert.ok(bus)
  t.after(() => bus.close())
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token ?? '' }
  const none = await run(['--since', '1h'], environment)
  assert.equal((await none.exited).code, 1)
  await bus.streams.makeStream({
    name: 'records_llm',
    subject: 'llm.gl.logger',
    maxBytes: 10_000_000,
    maxAgeMs: HOUR_MS,
  })
  for (const text of RECORDS) await bus.streams.keep('llm.gl.logger', Buffer.from(text), {})
  for (const [question, expected] of QUESTIONS) {
    const words = ['n', ...question.split(' ')]
    const files = await run([...words, '--file', old, '--file', current], {})
    await files.exited
    assert.deepEqual(files.lines.entries.map(Number), expected, question)
    const kept = await run(words, environment)
    await kept.exited
    assert.deepEqual(kept.lines.entries.map(Number), expected, `${question}, of the stream`)
  }
  await using following = await run(['n', '--since', '10d', '--status', '5xx', '--follow'], environment)
  await using tail = await run(['n', '--status', '5xx', '--follow', '--file', current], {})
  await waitForLine(following, /^0$/)
  await waitForLine(tail, /^0$/)
  await bus.streams.keep('llm.gl.logger', Buffer.from(record(-7, '/a/', 502)), {})
  await appendFile(current, `${record(-7, '/a/', 502)}\n`)
  await waitForLine(following, /^-7$/)
  await waitForLine(tail, /^-7$/)
  await rename(current, join(folder, 'r-moved.jsonl'))
  await writeFile(current, `${record(-8, '/a/', 502)}\n`)
  await waitForLine(tail, /^-8$/)
})

test('an unreachable bus ends the command with 1 and a message; a bus lost while it is read ends the reading', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const place = busOptions({ GATEWAY_HOST: server.address, NATS_TOKEN: server.token })
  assert.ok(place)
  const bus = await connectBus({ ...place, name: 'test', logger: journalLogger().logger })
  assert.ok(bus)
  t.after(() => bus.close())
  const [stream, subject] = ['records_llm', 'llm.gl.logger']
  await bus.streams.makeStream({ name: stream, subject, maxBytes: 100_000_000, maxAgeMs: HOUR_MS })
  // More than one pull, whose limit is 32 MiB.
  const large = Buffer.from(JSON.stringify({ n: 1, filler: 'x'.repeat(1_000_000) }))
  for (let count = 0; count < 60; count += 1) await bus.streams.keep(subject, large, {})
  let overs = 0
  const silenceLimit = { ms: 500, exceeded: () => (overs += 1) }
  const query = { sinceMs: undefined, router: undefined, session: undefined, statuses: [] }
  const { signal } = new AbortController()
  let read = 0
  for await (const _ of recordsOfStream(
    { streams: bus.streams, stream, silenceLimit },
    { query, follow: false, signal },
  )) {
    read += 1
    if (read === 1) await server.kill('SIGKILL')
  }
  assert.deepEqual([overs, read > 0, read < 60], [1, true, true])
  const environment = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token ?? '' }
  await using late = await run(['--since', '1h', '--wait', '1s'], environment)
  await waitForLine(late, /the bus does not answer/)
  assert.equal((await late.exited).code, 1)
})

test('an unreadable file ends the command with 1 and a message with its name and the reason', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-records-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const torn = join(folder, 'torn.jsonl.gz')
  await writeFile(torn, 'no gzip')
  const cases = [
    [join(folder, 'absent.jsonl'), 'ENOENT'],
    [join(folder, 'absent.jsonl.gz'), 'ENOENT'],
    [folder, 'EISDIR'],
    [torn, 'Z_DATA_ERROR'],
  ] as const
  for (const [file, code] of cases) {
    for (const more of [[], ['--follow']]) {
      const reading = await run([...more, '--file', file], {})
      assert.equal((await reading.exited).code, 1, file)
      const printedLines = reading.lines.entries
      assert.deepEqual(printedLines, [`records: a file can't be read ${JSON.stringify({ files: [file], code })}`])
      if (file === torn) break
    }
  }
})

test('unknown arguments are refused', () => {
  const unclear = ['2026-11-22 junk', '2026-11-22T9:00', '2026-13-01'].map((time) => ['--since', time])
  for (const words of [...unclear, ['--since', 'soon'], ['--status', '6xx'], ['a', 'b'], ['--router'], ['--unknown']]) {
    assert.equal(parseRecordsCommand(words, now), undefined, words.join(' '))
  }
  assert.equal(parseRecordsCommand(['--since', '2026-11-22T09:00Z'], now)?.query.sinceMs, Date.UTC(2026, 10, 22, 9))
  // A longer timer would end at once.
  assert.equal(parseRecordsCommand(['--wait', '9999999d'], now)?.waitMs, 2 ** 31 - 1)
})

async function run(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<Program> {
  const args = [join(import.meta.dirname, 'main.ts'), ...words]
  return await startProgram({ command: process.execPath, args, environment: { ...environment, RUN_DIR: '.absent' } })
}
