import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { chmod, cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Program, startProgram } from '@llm-gateway/test/fake/program'
import { type TemporaryFolder, temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'

/** The place in which a container's program runs without a container. */
export type StartPlace = {
  /** A folder in place of the container's root. */
  readonly root: string
  /** A library that makes the folders conf and log behave like shares. */
  readonly library: string
}
export type ContainerCommand = {
  /** The command of a deployment, with the image's entry point. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

export const CHECKOUT = join(import.meta.dirname, '../..')
const USER = '65532'
/** The address of Azure's metadata service is added to the new network's loopback. */
const ENTER = 'ip link set lo up && ip addr add 169.254.169.254/32 dev lo && exec "$@"'
const NETWORK = ['--net', 'sh', '-c', ENTER, 'sh']

/** Returns the reason why a process can't get a network of its own; false when it can. */
export function whyNoNetwork(): string | false {
  return spawnSync('unshare', [...NETWORK, 'true']).status === 0 ? false : 'a network of its own needs Linux and root'
}

/**
 * Runs a file of tests in a network of its own, with the library for shares as its argument; throws its output on
 * failure.
 */
export async function runInNetwork(scenario: string, tests: number): Promise<void> {
  await using folder = await temporaryFolder()
  chmodSync(folder.path, 0o755)
  const library = join(folder.path, 'share.so')
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'share.c'), '-ldl'])
  // Removes the variable that marks a child as a part of this test run.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const args = [...NETWORK, process.execPath, '--test-reporter=spec', scenario, library]
  const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', env: environment })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, new RegExp(`^ℹ pass ${tests}$`, 'm'))
}

/** Makes folders that all users may write, like the shares of Container Instances; `conf` gets files. */
export async function sharesWith(files: string | undefined): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  await chmod(folder.path, 0o755)
  for (const name of ['conf', 'log', 'state']) {
    const path = join(folder.path, 'app', name)
    await mkdir(path, { recursive: true })
    if (name === 'conf' && files !== undefined) await cp(files, path, { recursive: true })
    await chmod(path, 0o777)
  }
  return folder
}

/** Runs a container's command as the image's user, with the checkout in place of `/app`. */
export function runAsContainer(
  { root, library }: StartPlace,
  { command, environment }: ContainerCommand,
): Promise<Program> {
  const [node, program = '', ...args] = command
  assert.equal(node, '/usr/bin/node')
  const asUser = ['--reuid', USER, '--regid', USER, '--clear-groups']
  const inCheckout = program.replace(/^\/app\//, `${CHECKOUT}/`)
  return startProgram({
    command: 'setpriv',
    args: [...asUser, process.execPath, inCheckout, ...args, '--root', root],
    environment: {
      ...environment,
      PATH: process.env.PATH,
      LD_PRELOAD: library,
      SHARES: ['conf', 'log'].map((name) => join(root, 'app', name)).join(':'),
      // The image's user can't write the checkout's own cache.
      NODE_COMPILE_CACHE: join(root, 'app/state/compiled'),
    },
  })
}

/** Runs a command to its end; returns its code and output. */
export async function endedAsContainer(place: StartPlace, command: readonly string[]) {
  const program = await runAsContainer(place, { command, environment: {} })
  const { code } = await program.exited
  return { code, said: program.lines.entries.join('\n') }
}

/** nats-server logs this when the loopback is the only interface. */
const LONELY = /Address \\"0\.0\.0\.0\\" can not be resolved/

/** Asserts that no call was made that a share refuses, and that all output is log lines. */
export function assertQuiet(program: Program): void {
  const said = program.lines.entries.filter((line) => !LONELY.test(line))
  assert.deepEqual(
    said.filter((line) => !line.startsWith('{') || /"level":"ERROR"|EPERM|ENOTSUP/.test(line)),
    [],
  )
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await isSo())) {
    assert.ok(Date.now() < end, `waited for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const GATEWAY = 'http://127.0.0.1:5380'

/** Calls the port of the shipped file. */
export function callGateway(path: string): Promise<Response> {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
  return fetch(`${GATEWAY}${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
}
