import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { type ProcessOptions, type RunningProcess, restartCommand } from './restart-command.ts'

const FLAGS = ['--max-semi-space-size=8', '--no-maglev', '--heap-growing-percent=50']
const wanted: ProcessOptions = { flags: FLAGS, variables: { MALLOC_ARENA_MAX: '1', NODE_COMPILE_CACHE: '/cache' } }

/** A process without flags and variables. */
const bare: RunningProcess = {
  platform: 'linux',
  version: process.version,
  // Never called: the test checks its arguments only.
  execve: () => process.exit(1),
  execPath: '/bin/node',
  execArgv: [],
  argv: ['/bin/node', 'main.ts', '-o', 'a file.json'],
  argv0: 'node',
  env: { A: 'b' },
  connected: false,
}

test('a process without flags is restarted with the same command, flags and variables', () => {
  const { file, args, environment } = restartCommand(bare, wanted) ?? assert.fail()
  assert.equal(file, '/bin/node')
  assert.deepEqual(args, ['node', ...FLAGS, 'main.ts', '-o', 'a file.json'])
  assert.equal(environment.A, 'b')
  assert.equal(environment.MALLOC_ARENA_MAX, '1')
  assert.equal(environment.NODE_COMPILE_CACHE, '/cache')
})

test('a process that was restarted is not restarted again', () => {
  const { args, environment } = restartCommand(bare, wanted) ?? assert.fail()
  assert.equal(restartCommand({ ...bare, execArgv: args.slice(1, -3), env: environment }, wanted), undefined)
})

const given: readonly (readonly [string, string, Partial<RunningProcess>])[] = [
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
    const { args } = restartCommand({ ...bare, ...running }, wanted) ?? assert.fail()
    const ours = FLAGS.filter((flag) => !flag.startsWith(name))
    assert.deepEqual(args, ['node', ...ours, ...(running.execArgv ?? []), 'main.ts', '-o', 'a file.json'])
  })
}

test('variables of the caller stay as they are, also empty variables', () => {
  const env = { NODE_COMPILE_CACHE: '' }
  assert.deepEqual(restartCommand({ ...bare, env }, wanted)?.environment, { ...env, MALLOC_ARENA_MAX: '1' })
})

for (const version of ['v25.0.0', 'v26.1.0-nightly', 'v18.20.0', 'none']) {
  test(`node ${version}, whose flags are unknown, gets the variables only`, () => {
    const { args, environment } = restartCommand({ ...bare, version }, wanted) ?? assert.fail()
    assert.deepEqual(args, ['node', 'main.ts', '-o', 'a file.json'])
    assert.equal(restartCommand({ ...bare, version, env: environment }, wanted), undefined)
  })
}

for (const node of new Set([process.execPath, ...otherNodes()])) {
  test(`${node} starts with the flags it is given`, () => {
    const version = String(spawnSync(node, ['--version']).stdout)
    const { args } = restartCommand({ ...bare, version, argv: [node, '-p', '"started"'] }, wanted) ?? assert.fail()
    const { status, stdout, stderr } = spawnSync(node, args.slice(1), { encoding: 'utf8' })
    assert.deepEqual([status, stdout, stderr], [0, 'started\n', ''])
  })
}

/** Returns the other versions of node on this machine. */
function otherNodes(): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'node')).filter((file) => existsSync(file))
}

const irreplaceable: readonly (readonly [string, Partial<RunningProcess>])[] = [
  ['on Windows', { platform: 'win32' }],
  ['where node has no execve', { execve: undefined }],
  ['under the permission model', { permission: {} }],
  ['with an IPC channel', { connected: true }],
]
for (const [where, running] of irreplaceable) {
  test(`a process is not restarted ${where}`, () => {
    assert.equal(restartCommand({ ...bare, ...running }, wanted), undefined)
  })
}
