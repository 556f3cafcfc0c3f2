import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { type FakeBehaviour, isAlive, until } from './fixture/supervised.ts'

// Rules: docs/reference/environment-variables.md#secrets-and-addresses,
// docs/reference/configuration-rules.md#files-of-the-other-programs

type Program = AsyncDisposable & {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  output(): string
  journal(): string
  pids(): readonly number[]
}
type Start = {
  readonly args?: readonly string[]
  readonly behaviour?: FakeBehaviour
  readonly channel?: boolean
  readonly changes?: object
  /** True: stdout is read by the test, or by nobody. */
  readonly unread?: boolean
  /** A file that takes the place of the pipe to the test. */
  readonly stdout?: number
  /** Code that runs in the supervisor before its own. */
  readonly preload?: string
}

const MIB = 1024 * 1024
const READY = '"msg":"all services healthy"'

/** Starts the real program with one fake service, whose journal serves as its configuration file. */
function startGinit({
  args = [],
  behaviour = {},
  channel = false,
  changes = {},
  unread = false,
  stdout,
  preload = '',
}: Start = {}): Program {
  const folder = mkdtempSync(join(tmpdir(), 'ginit-main-'))
  const [journal, file] = [join(folder, 'journal'), join(folder, 'ginit_config.json')]
  const service = {
    name: 'fake',
    file: join(import.meta.dirname, 'fixture/fake-service.ts'),
    config_command: 'fake',
    configuration_file: journal,
    additional_arguments: [JSON.stringify(behaviour)],
    healthy_output: 'ready to serve',
    disable_config_file_monitoring: true,
  }
  writeFileSync(journal, '')
  writeFileSync(file, JSON.stringify({ services: [service], ...changes }))
  const { NATS_TOKEN: _token, GUI_SECRET: _secret, ...environment } = process.env
  const preloaded = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]
  const child = spawn(process.execPath, [...preloaded, join(import.meta.dirname, 'main.ts'), '-o', file, ...args], {
    env: environment,
    stdio: ['ignore', stdout ?? 'pipe', 'pipe', channel ? 'ipc' : 'ignore'],
  })
  let output = ''
  const streams = [unread ? null : child.stdout, child.stderr].filter((stream) => stream !== null)
  for (const stream of streams) stream.setEncoding('utf8').on('data', (text) => (output += text))
  // The child's own 'close' doesn't come after disconnect().
  const ended = Promise.all([once(child, 'exit'), ...streams.map((stream) => once(stream, 'close'))])
  const exited = ended.then(([[code]]) => (typeof code === 'number' ? code : null))
  return {
    child,
    exited,
    output: () => output,
    journal: () => readFileSync(journal, 'utf8'),
    pids: () => [...readFileSync(journal, 'utf8').matchAll(/(?:started|child) (\d+)/g)].map(([, pid]) => Number(pid)),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} stops the services and ends with 0`, async () => {
    await using ginit = startGinit()
    await until('the services', () => ginit.output().includes(READY))
    ginit.child.kill(signal)
    assert.equal(await ginit.exited, 0)
    assert.match(ginit.journal(), /fake SIGTERM\nfake ended\n$/)
    assert.ok(!ginit.pids().some(isAlive))
  })
}

test('services end when the supervisor is killed', async () => {
  await using ginit = startGinit({ behaviour: { child: true } })
  await until('the services', () => ginit.output().includes(READY))
  ginit.child.kill('SIGKILL')
  await ginit.exited
  assert.match(ginit.journal(), /fake SIGTERM\nfake ended\n$/)
  assert.equal(ginit.pids().length, 2)
  await until('the end of all processes', () => !ginit.pids().some(isAlive))
})

test('a second signal kills the services that don’t end, with their children', async () => {
  await using ginit = startGinit({ behaviour: { deaf: true, child: true } })
  await until('the services', () => ginit.output().includes(READY))
  ginit.child.kill('SIGINT')
  await until('the service to be asked', () => ginit.journal().includes('fake SIGTERM'))
  ginit.child.kill('SIGINT')
  await ginit.exited
  assert.equal(ginit.pids().length, 2)
  await until('all processes to be gone', () => !ginit.pids().some(isAlive))
})

test('unset secrets become random values that are printed nowhere', async () => {
  await using ginit = startGinit()
  await until('the services', () => ginit.output().includes(READY))
  ginit.child.kill('SIGTERM')
  await ginit.exited
  const [, token = '', secret = ''] = /token ([0-9a-f]{64}) ([0-9a-f]{64})/.exec(ginit.journal()) ?? []
  assert.equal(token.length, 64)
  assert.notEqual(token, secret)
  assert.ok(!ginit.output().includes(token) && !ginit.output().includes(secret))
})

test('the supervisor stops when the parent process of its IPC channel ends', async () => {
  await using ginit = startGinit({ channel: true })
  await until('the services', () => ginit.output().includes(READY))
  ginit.child.disconnect()
  assert.equal(await ginit.exited, 0)
  assert.ok(!ginit.pids().some(isAlive))
})

test('the supervisor exits with 1 when a service is given up', async () => {
  await using ginit = startGinit({ behaviour: { exitCode: 3 } })
  assert.equal(await ginit.exited, 1)
})

test('a service that writes without end doesn’t grow the supervisor, whose output is read at full speed', async () => {
  await using ginit = startGinit({ behaviour: { noisy: true }, unread: true })
  let bytes = 0
  ginit.child.stdout?.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await until('many lines', () => bytes > 128 * MIB)
  assert.ok(residentPeak(ginit.child) < 300 * MIB, `${residentPeak(ginit.child)}`)
  ginit.child.kill('SIGTERM')
  assert.equal(await ginit.exited, 0)
  await until('all processes to be gone', () => !ginit.pids().some(isAlive))
})

test('a service waits while nobody reads the supervisor’s output, which doesn’t hold up a stop', {
  timeout: 120_000,
}, async () => {
  await using ginit = startGinit({ behaviour: { noisy: true }, unread: true })
  await until('the noisy child', () => ginit.pids().length === 2)
  const [, noisy = 0] = ginit.pids()
  let [before, polls] = [-1, 0]
  await until('the noisy child to wait', () => {
    const written = writtenBytes(noisy)
    polls = written === before ? polls + 1 : 0
    before = written
    return polls === 50
  })
  assert.ok(before > 0 && before < 4 * MIB, `${before}`)
  ginit.child.kill('SIGTERM')
  assert.equal(await ginit.exited, 0)
  assert.match(ginit.journal(), /fake SIGTERM\nfake ended\n$/)
  await until('all processes to be gone', () => !ginit.pids().some(isAlive))
})

test('the services keep running while the disk of the supervisor’s output is full', {
  skip: !existsSync('/dev/full'),
}, async () => {
  const full = openSync('/dev/full', 'w')
  await using ginit = startGinit({ behaviour: { noisy: true }, stdout: full })
  closeSync(full)
  await until('the noisy child', () => ginit.pids().length === 2)
  const [, noisy = 0] = ginit.pids()
  await until('lines of the service to be read and dropped', () => writtenBytes(noisy) > MIB)
  assert.doesNotMatch(ginit.journal(), /SIGTERM/)
  ginit.child.kill('SIGTERM')
  assert.equal(await ginit.exited, 0)
  assert.match(ginit.journal(), /fake SIGTERM\nfake ended\n$/)
})

test('the services stop in order once the reader of the supervisor’s output has gone', {
  timeout: 120_000,
}, async () => {
  await using ginit = startGinit({ behaviour: { noisy: true }, unread: true })
  await until('the noisy child', () => ginit.pids().length === 2)
  ginit.child.stdout?.destroy()
  assert.equal(await ginit.exited, 0)
  assert.match(ginit.journal(), /fake SIGTERM\nfake ended\n$/)
  await until('all processes to be gone', () => !ginit.pids().some(isAlive))
})

const files: ReadonlyArray<readonly [title: string, changes: object, code: number]> = [
  ['a good file', {}, 0],
  ['no services', { services: [] }, 1],
  ['an invalid number', { max_starts: 'two' }, 1],
]
for (const [title, changes, code] of files) {
  test(`--validate of ${title} ends with ${code} and starts nothing`, async () => {
    await using ginit = startGinit({ args: ['--validate'], changes })
    assert.equal(await ginit.exited, code)
    assert.equal(ginit.journal(), '')
    assert.equal(ginit.output().includes('"msg":"configuration file validation failed"'), code === 1)
  })
}

test('--version prints the version', async () => {
  await using ginit = startGinit({ args: ['--version'] })
  assert.equal(await ginit.exited, 0)
  assert.match(ginit.output(), /^\d+\.\d+\.\d+\n$/)
})

/** Returns the largest resident memory of a process in bytes. */
function residentPeak({ pid }: ChildProcess): number {
  return 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** Returns the number of bytes that a process has written. */
function writtenBytes(pid: number): number {
  return Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

test('the supervisor ends with its reader although a thread waits for a file', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ginit-pipe-'))
  const pipe = join(folder, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  try {
    const preload = `import { readFile } from 'node:fs/promises'
      readFile(${JSON.stringify(pipe)}).catch(() => undefined)`
    await using ginit = startGinit({ preload })
    await until('the services', () => ginit.output().includes(READY))
    ginit.child.stdout?.destroy()
    await assertEndsBySigterm(ginit)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Asks a supervisor to end, and kills it where it doesn't. */
async function assertEndsBySigterm({ child }: Pick<ReturnType<typeof startGinit>, 'child'>): Promise<void> {
  child.kill('SIGTERM')
  try {
    await until('the end of the supervisor', () => child.exitCode !== null)
    assert.equal(child.exitCode, 0)
  } finally {
    child.kill('SIGKILL')
  }
}

test('the supervisor ends although the watch of the bus waits for a file', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ginit-disk-'))
  const [pipe, bus] = [join(folder, 'pipe'), join(folder, 'nats-server')]
  await promisify(execFile)('mkfifo', [pipe])
  writeFileSync(bus, '#!/bin/sh\necho ready to serve\nexec sleep 1000\n', { mode: 0o755 })
  writeFileSync(join(folder, 'gl_config.json'), '{}')
  const service = (name: string) => ({
    name,
    file: bus,
    configuration_file: join(folder, 'gl_config.json'),
    healthy_output: 'ready to serve',
    disable_config_file_monitoring: true,
    validate_command: '',
  })
  try {
    // As on a disk that hangs: the file is opened, and the system doesn't answer the reading.
    const preload = `import files from 'node:fs/promises'
      import { syncBuiltinESMExports } from 'node:module'
      const { open, readFile } = files
      const [hanging, pipe] = ${JSON.stringify([join(folder, 'gl_config.json'), pipe])}
      files.open = (path, ...rest) => path === hanging ? readFile(pipe) : open(path, ...rest)
      syncBuiltinESMExports()`
    await using ginit = startGinit({ preload, changes: { services: [service('bus'), service('gl')] } })
    await until('the services', () => ginit.output().includes(READY))
    await assertEndsBySigterm(ginit)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
