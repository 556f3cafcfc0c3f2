import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createBench, isAlive, type Supervised, until } from './fixture/supervised.ts'

// Rules: docs/reference/configuration-rules.md#files-of-the-other-programs, docs/reference/ginit-config.md

/** The threads that serve all files of a process: so many hanging readings stop it. */
const FILE_THREADS = 4

const events = (run: Supervised) =>
  run
    .journal()
    .map((line) => line.split(' ').slice(0, 2).join(' '))
    .filter((event) => !event.endsWith(' token'))
const messages = (run: Supervised) => run.log.map(({ msg }) => msg)

test('each service starts once the previous service is healthy, and services stop in reverse order', async () => {
  await using bench = createBench()
  const gate = join(bench.folder, 'gate')
  const run = bench.start([bench.plan('bus', { waitFor: gate }), bench.plan('gl'), bench.plan('sink')])
  await until('the first service to start', () => events(run).includes('bus started'))
  assert.deepEqual(events(run), ['bus started'])
  writeFileSync(gate, '')
  await until('all healthy', () => messages(run).includes('all services healthy'))
  run.supervisor.stop()
  assert.equal(await run.supervisor.finished, 'stopped')
  assert.deepEqual(events(run), [
    ...['bus started', 'bus ready', 'gl started', 'gl ready', 'sink started', 'sink ready'],
    ...['sink SIGTERM', 'sink ended', 'gl SIGTERM', 'gl ended', 'bus SIGTERM', 'bus ended'],
  ])
})

test('after a stop during the start no further service is started', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('bus', { waitFor: join(bench.folder, 'never') }), bench.plan('gl')])
  await until('the first service to start', () => events(run).includes('bus started'))
  run.supervisor.stop()
  assert.equal(await run.supervisor.finished, 'stopped')
  assert.deepEqual(events(run), ['bus started', 'bus SIGTERM', 'bus ended'])
})

test('each change of a service’s state is reported', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('bus'), bench.plan('gl')])
  await until('all healthy', () => messages(run).includes('all services healthy'))
  process.kill(run.pidOf('gl'), 'SIGKILL')
  await until('gl to be back', () => run.states.filter((state) => state === 'gl healthy').length === 2)
  const again = ['gl ended', 'gl starting', 'gl healthy']
  assert.deepEqual(run.states, ['bus starting', 'bus healthy', 'gl starting', 'gl healthy', ...again])
})

test('output becomes JSON lines: JSON stays unchanged, text is wrapped with the service’s name', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('gl')])
  await until('all healthy', () => messages(run).includes('all services healthy'))
  assert.deepEqual(run.lines, [
    '{"time":"1970-01-01T00:00:00.000Z","level":"INFO","msg":"plain text","service":"gl"}',
    '{"msg":"ready to serve","file":""}',
  ])
})

test('a service that ends is restarted, and the others keep running', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('bus'), bench.plan('gl')])
  await until('all healthy', () => messages(run).includes('all services healthy'))
  const [bus, gl] = [run.pidOf('bus'), run.pidOf('gl')]
  process.kill(gl, 'SIGKILL')
  await until('gl to be ready again', () => events(run).filter((event) => event === 'gl ready').length === 2)
  assert.notEqual(run.pidOf('gl'), gl)
  assert.equal(run.pidOf('bus'), bus)
  assert.ok(isAlive(bus))
})

test('after max_starts starts within 60 s the supervisor stops all services', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('bus'), bench.plan('gl', { exitCode: 3 })], 2)
  assert.equal(await run.supervisor.finished, 'failed')
  assert.equal(events(run).filter((event) => event === 'gl started').length, 2)
  assert.ok(messages(run).includes('service failed too often; all services stop'))
  assert.deepEqual(events(run).slice(-2), ['bus SIGTERM', 'bus ended'])
})

const WAITS = 'optional service failed too often; it waits and the other services run'
const OTHERS = 'services healthy without optional ones'
const starts = (run: Supervised, name: string) => events(run).filter((event) => event === `${name} started`).length

test('an optional service that fails too often waits alone, and the services after it start', async () => {
  await using bench = createBench()
  const failing = bench.plan('sink', { exitCode: 3 }, { isOptional: true })
  const run = bench.start([bench.plan('gl'), failing, bench.plan('gui')])
  await until('the service after it', () => run.states.includes('gui healthy'))
  await until('the wait', () => messages(run).includes(WAITS))
  assert.deepEqual([starts(run, 'gl'), starts(run, 'sink')], [1, 2])
  assert.ok(isAlive(run.pidOf('gl')))
  assert.equal(
    run.states.findLast((state) => state.startsWith('sink ')),
    'sink ended',
  )
  const [waits] = run.log.filter(({ msg }) => msg === WAITS)
  assert.deepEqual(waits, { level: 'ERROR', msg: WAITS, fields: { name: 'sink', max_starts: 2, wait_ms: 3_600_000 } })
  run.supervisor.stop()
  assert.equal(await run.supervisor.finished, 'stopped')
})

test('an optional service that never starts holds up no service after it, and not all services count as healthy', async () => {
  await using bench = createBench()
  const silent = { waitFor: join(bench.folder, 'never') }
  const failing = bench.plan('sink', silent, { isOptional: true, startTimeoutMs: 400 })
  const run = bench.start([bench.plan('gl'), failing, bench.plan('gui')], 1)
  await until('the service after it', () => run.states.includes('gui healthy'))
  assert.ok(!messages(run).includes('all services healthy'))
  assert.ok(isAlive(run.pidOf('gl')))
})

test('an optional service that stays silent holds up no service after it, however seldom it is started', async () => {
  await using bench = createBench()
  const silent = { waitFor: join(bench.folder, 'never') }
  const failing = bench.plan('sink', silent, { isOptional: true, startTimeoutMs: 400 })
  // Each start takes so long that 60 s have never more than max_starts of them.
  const run = bench.start([bench.plan('gl'), failing, bench.plan('gui')], 1_000_000)
  await until('the service after it', () => run.states.includes('gui healthy'))
  assert.ok(!messages(run).includes(WAITS))
})

test('a start without optional services names them, and all services count as healthy once they are', async () => {
  await using bench = createBench()
  const gate = join(bench.folder, 'gate')
  const silent = bench.plan('sink', { waitFor: gate }, { isOptional: true, startTimeoutMs: 1_000 })
  const run = bench.start([bench.plan('gl'), silent, bench.plan('gui')], 1, 50)
  await until('the others', () => messages(run).includes(OTHERS))
  assert.ok(run.states.includes('gui healthy'))
  const [others] = run.log.filter(({ msg }) => msg === OTHERS)
  assert.deepEqual(others, { level: 'WARN', msg: OTHERS, fields: { services: 3, without: ['sink'] } })
  writeFileSync(gate, '')
  await until('all healthy', () => messages(run).includes('all services healthy'))
  assert.equal(messages(run).filter((msg) => msg === OTHERS).length, 1)
})

test('an optional service is started again after its wait, up to max_starts times', async () => {
  await using bench = createBench()
  const gate = join(bench.folder, 'gate')
  const silent = bench.plan('sink', { waitFor: gate }, { isOptional: true, startTimeoutMs: 1_000 })
  const run = bench.start([bench.plan('gl'), silent], 1, 50)
  await until('three starts', () => starts(run, 'sink') >= 3)
  writeFileSync(gate, '')
  await until('all healthy', () => messages(run).includes('all services healthy'))
  assert.equal(messages(run).filter((msg) => msg === WAITS).length, starts(run, 'sink') - 1)
  assert.equal(starts(run, 'gl'), 1)
})

test('a changed file ends the wait of an optional service', async () => {
  await using bench = createBench()
  const file = join(bench.folder, 'sink.json')
  writeFileSync(file, 'first')
  const failing = bench.plan('sink', { file, exitCode: 3 }, { isOptional: true, watchedFile: file })
  const run = bench.start([bench.plan('gl'), failing], 1)
  await until('the wait', () => messages(run).includes(WAITS))
  writeFileSync(file, 'second')
  await until('a start with the new file', () => run.lines.some((line) => line.includes('"file":"second"')))
})

test('an optional service with die_promise stops all services when it ends', async () => {
  await using bench = createBench()
  const failing = bench.plan('sink', { exitCode: 3 }, { isOptional: true, diePromise: true })
  const run = bench.start([bench.plan('gl'), failing], 9)
  assert.equal(await run.supervisor.finished, 'failed')
})

const unstartable: ReadonlyArray<readonly [what: string, argument: string, code: string]> = [
  ['a too long argument', 'x'.repeat(200_000), 'E2BIG'],
  ['an argument with a NUL', 'x\u0000', 'ERR_INVALID_ARG_VALUE'],
]
for (const [what, argument, code] of unstartable) {
  test(`a program that cannot be started for ${what} counts as a failed start of its service only`, async () => {
    await using bench = createBench()
    const broken = { command: { program: process.execPath, args: [argument] }, isOptional: true }
    const run = bench.start([bench.plan('gl'), bench.plan('sink', {}, broken), bench.plan('gui')])
    await until('the service after it', () => run.states.includes('gui healthy'))
    assert.ok(run.log.some(({ level, fields }) => level === 'ERROR' && 'error' in fields && fields.error === code))
    assert.ok(isAlive(run.pidOf('gl')))
  })
}

test('a service with die_promise stops all services when it ends', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('bus'), bench.plan('gl', {}, { diePromise: true }), bench.plan('sink')], 9)
  await until('all healthy', () => messages(run).includes('all services healthy'))
  process.kill(run.pidOf('gl'), 'SIGKILL')
  assert.equal(await run.supervisor.finished, 'failed')
  assert.equal(events(run).filter((event) => event === 'gl started').length, 1)
  assert.ok(!isAlive(run.pidOf('bus')) && !isAlive(run.pidOf('sink')))
})

test('a service that stays silent is ended after its start timeout, and counts as a failed start', async () => {
  await using bench = createBench()
  const silent = bench.plan('gl', { waitFor: join(bench.folder, 'never') }, { startTimeoutMs: 400 })
  const run = bench.start([silent, bench.plan('sink')], 1)
  assert.equal(await run.supervisor.finished, 'failed')
  assert.ok(messages(run).includes('service did not become healthy in time'))
  assert.ok(!events(run).includes('sink started'))
})

test('a program that does not exist is logged as ERROR with its code and does not crash the supervisor', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('gl', {}, { command: { program: 'no-such-program-here', args: [] } })], 1)
  assert.equal(await run.supervisor.finished, 'failed')
  assert.ok(run.log.some(({ level, fields }) => level === 'ERROR' && 'error' in fields && fields.error === 'ENOENT'))
})

test('a changed file restarts only its service; an invalid file leaves the service running', async () => {
  await using bench = createBench()
  const file = join(bench.folder, 'sink.json')
  writeFileSync(file, 'first')
  const run = bench.start([bench.plan('bus'), bench.plan('sink', { file }, { watchedFile: file })], 1)
  await until('all healthy', () => messages(run).includes('all services healthy'))
  const [bus, sink] = [run.pidOf('bus'), run.pidOf('sink')]

  writeFileSync(file, 'bad')
  await until('the refusal', () => run.log.some(({ level, msg }) => level === 'ERROR' && msg.includes('not valid')))
  assert.equal(run.pidOf('sink'), sink)
  assert.ok(isAlive(sink))

  for (const content of ['second', 'third']) {
    writeFileSync(file, content)
    await until(`a start with ${content}`, () => run.lines.some((line) => line.includes(`"file":"${content}"`)))
  }
  assert.notEqual(run.pidOf('sink'), sink)
  assert.equal(run.pidOf('bus'), bus)
})

test('a pipe or a huge file in the place of a watched file is logged once, and the watch goes on', async () => {
  await using bench = createBench()
  const files = Array.from({ length: FILE_THREADS }, (_, index) => join(bench.folder, `sink${index}.json`))
  const plans = files.map((file, index) => bench.plan(`sink${index}`, { file }, { watchedFile: file }))
  for (const file of files) writeFileSync(file, 'first')
  const run = bench.start(plans, 1)
  await until('all healthy', () => messages(run).includes('all services healthy'))
  const pids = files.map((_, index) => run.pidOf(`sink${index}`))
  const codes = () =>
    run.log.flatMap(({ level, fields }) => (level === 'ERROR' && 'code' in fields ? [String(fields.code)] : []))

  writeFileSync(join(bench.folder, 'huge'), '')
  truncateSync(join(bench.folder, 'huge'), 2 * 1024 * 1024 * 1024)
  for (const [index, file] of files.entries()) {
    if (index > 0) await promisify(execFile)('mkfifo', [join(bench.folder, 'pipe')])
    renameSync(join(bench.folder, index > 0 ? 'pipe' : 'huge'), file)
  }
  await until('the refusals', () => codes().length >= FILE_THREADS)
  assert.deepEqual(
    files.map((_, index) => run.pidOf(`sink${index}`)),
    pids,
  )
  for (const file of files) {
    writeFileSync(`${file}.new`, 'second')
    renameSync(`${file}.new`, file)
  }
  await until('all to restart', () => files.every((_, index) => run.pidOf(`sink${index}`) !== pids[index]))
  assert.deepEqual(codes().sort(), ['FILE_NOT_READABLE', 'FILE_NOT_READABLE', 'FILE_NOT_READABLE', 'FILE_TOO_LARGE'])
})

test('a service that ignores SIGTERM is ended with SIGKILL after its limit', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('gl', { deaf: true }, { stopTimeoutMs: 3_000 })])
  await until('all healthy', () => messages(run).includes('all services healthy'))
  run.supervisor.stop()
  assert.equal(await run.supervisor.finished, 'stopped')
  assert.deepEqual(events(run).slice(-1), ['gl SIGTERM'])
  assert.ok(!isAlive(run.pidOf('gl')))
})

test('the stop of a service that has ended does not wait for the reading of its drain time', async () => {
  await using bench = createBench()
  const drainMs = () => new Promise<never>(() => undefined)
  const run = bench.start([bench.plan('bus'), bench.plan('gl', {}, { drainMs })])
  await until('all healthy', () => messages(run).includes('all services healthy'))
  run.supervisor.stop()
  await until('the bus to end', () => events(run).at(-1) === 'bus ended')
})

test('kill ends services that a stop still waits for, and the processes that they started', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('bus', { child: true }), bench.plan('gl', { deaf: true, child: true })])
  await until('all healthy', () => messages(run).includes('all services healthy'))
  const pids = ['bus', 'gl'].flatMap((name) => [run.pidOf(name), run.pidOf(name, 'child')])
  run.supervisor.stop()
  await until('gl to be asked', () => events(run).includes('gl SIGTERM'))
  run.supervisor.kill()
  assert.equal(await run.supervisor.finished, 'stopped')
  await until('all processes to be gone', () => !pids.some(isAlive))
})

test('a service that died is started again although a child in another process group holds its output', async () => {
  await using bench = createBench()
  const run = bench.start([bench.plan('gl', { escaped: true })])
  await until('all healthy', () => messages(run).includes('all services healthy'))
  const escaped = run.pidOf('gl', 'escaped')
  process.kill(run.pidOf('gl'), 'SIGKILL')
  await until('gl to be back', () => run.states.filter((state) => state === 'gl healthy').length === 2)
  assert.equal(isAlive(escaped), true)
  for (const pid of [escaped, run.pidOf('gl', 'escaped')]) process.kill(pid, 'SIGKILL')
})
