import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { startGatewayProcess } from '@llm-gateway/test/fake/gateway'
import { type Running, replacement } from './replacement.ts'

const FLAGS = ['--max-semi-space-size=8', '--no-maglev', '--heap-growing-percent=50']

/** As a process has them that nobody gave anything. */
const bare: Running = {
  platform: 'linux',
  version: process.version,
  // Never called: what is tested is what it would be called with.
  execve: () => process.exit(1),
  execPath: '/bin/node',
  execArgv: [],
  argv: ['/bin/node', 'main.ts', '-o', 'a file.json'],
  argv0: 'node',
  env: { A: 'b' },
  connected: false,
}

test('a bare process is replaced by the same command with flags and variables', () => {
  const { file, args, environment } = replacement(bare) ?? assert.fail()
  assert.equal(file, '/bin/node')
  assert.deepEqual(args, ['node', ...FLAGS, 'main.ts', '-o', 'a file.json'])
  assert.equal(environment.A, 'b')
  assert.equal(environment.MALLOC_ARENA_MAX, '1')
  assert.match(environment.NODE_COMPILE_CACHE ?? '', /node_modules.\.cache.llm-gateway$/)
})

test('what was replaced is not replaced again', () => {
  const { args, environment } = replacement(bare) ?? assert.fail()
  assert.equal(replacement({ ...bare, execArgv: args.slice(1, -3), env: environment }), undefined)
})

const given: readonly (readonly [string, string, Partial<Running>])[] = [
  ['on the command line', '--max-semi-space-size', { execArgv: ['--max-semi-space-size=64', '--cpu-prof'] }],
  ['with underscores', '--max-semi-space-size', { execArgv: ['--max_semi_space_size=64', '--cpu-prof'] }],
  [
    'in NODE_OPTIONS',
    '--max-semi-space-size',
    { execArgv: ['--cpu-prof'], env: { NODE_OPTIONS: '--max-semi-space-size=64' } },
  ],
  ['as its opposite', '--no-maglev', { execArgv: ['--maglev'] }],
]
for (const [where, name, running] of given) {
  test(`a flag that the caller gave ${where} stays as it is, with its other flags`, () => {
    const { args } = replacement({ ...bare, ...running }) ?? assert.fail()
    const ours = FLAGS.filter((flag) => !flag.startsWith(name))
    assert.deepEqual(args, ['node', ...ours, ...(running.execArgv ?? []), 'main.ts', '-o', 'a file.json'])
  })
}

test('variables of the caller stay as they are, empty ones too', () => {
  const env = { MALLOC_ARENA_MAX: '4', MALLOC_MMAP_THRESHOLD_: '', NODE_COMPILE_CACHE: '' }
  const environment = { ...env, MALLOC_TRIM_THRESHOLD_: '16777216' }
  assert.deepEqual(replacement({ ...bare, env })?.environment, environment)
})

for (const version of ['v25.0.0', 'v26.1.0-nightly', 'v18.20.0', 'none']) {
  test(`node ${version}, whose flags nobody tried, gets the variables alone`, () => {
    const { args, environment } = replacement({ ...bare, version }) ?? assert.fail()
    assert.deepEqual(args, ['node', 'main.ts', '-o', 'a file.json'])
    assert.equal(replacement({ ...bare, version, env: environment }), undefined)
  })
}

for (const node of new Set([process.execPath, ...otherNodes()])) {
  test(`${node} starts with the flags it is given`, () => {
    const version = String(spawnSync(node, ['--version']).stdout)
    const { args } = replacement({ ...bare, version, argv: [node, '-p', '"started"'] }) ?? assert.fail()
    const { status, stdout, stderr } = spawnSync(node, args.slice(1), { encoding: 'utf8' })
    assert.deepEqual([status, stdout, stderr], [0, 'started\n', ''])
  })
}

/** What else of node the machine has. */
function otherNodes(): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'node')).filter((file) => existsSync(file))
}

const irreplaceable: readonly (readonly [string, Partial<Running>])[] = [
  ['on Windows', { platform: 'win32' }],
  ['where node has no execve', { execve: undefined }],
  ['under the permission model', { permission: {} }],
  ['with an IPC channel', { connected: true }],
]
for (const [where, running] of irreplaceable) {
  test(`a process runs as it is ${where}`, () => {
    assert.equal(replacement({ ...bare, ...running }), undefined)
  })
}

test('the replaced process has its pid, its flags, its output and its exit code', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-profile-'))
  await using gateway = await startGatewayProcess({ nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${directory}`] })
  assert.equal((await fetch(`${gateway.url}/echo/`)).status, 200)
  gateway.kill('SIGTERM')
  assert.deepEqual(await gateway.exited, { code: 0, signal: null })
  for (const line of gateway.lines.entries) assert.doesNotThrow(() => JSON.parse(line), line)
  // CPU.<day>.<time>.<pid>.<thread>.<number>.cpuprofile
  const profiles = await readdir(directory)
  // Where it was slow, the process that was replaced has left one too.
  assert.deepEqual([...new Set(profiles.map((name) => Number(name.split('.')[3])))], [gateway.pid])
  await rm(directory, { recursive: true })
})
