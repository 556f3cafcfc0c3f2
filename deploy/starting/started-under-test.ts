import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { chmod, cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Program, startProgram } from '@llm-gateway/test/fake/program'
import { type TemporaryFolder, temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'

/** Where a container's program runs without a container. */
export type StartPlace = {
  /** A folder that stands for the container's root. */
  readonly root: string
  /** Makes conf and log below it behave as shares. */
  readonly library: string
}
export type ContainerCommand = {
  /** As a deployment writes it, with the image's entry point. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

export const CHECKOUT = join(import.meta.dirname, '../..')
const USER = '65532'
/** The address of Azure's metadata service belongs to the new network's loopback. */
const ENTER = 'ip link set lo up && ip addr add 169.254.169.254/32 dev lo && exec "$@"'
const NETWORK = ['--net', 'sh', '-c', ENTER, 'sh']

/** Why a process here gets no network of its own; false: it does. */
export function whyNoNetwork(): string | false {
  return spawnSync('unshare', [...NETWORK, 'true']).status === 0 ? false : 'a network of its own needs Linux and root'
}

/** Runs a file of tests in a network of its own, with the library for shares as its argument; throws what it printed. */
export async function runInNetwork(scenario: string, tests: number): Promise<void> {
  await using folder = await temporaryFolder()
  chmodSync(folder.path, 0o755)
  const library = join(folder.path, 'share.so')
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'share.c'), '-ldl'])
  // What is set here tells a child that it is a part of this run.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const args = [...NETWORK, process.execPath, '--test-reporter=spec', scenario, library]
  const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', env: environment })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, new RegExp(`^ℹ pass ${tests}$`, 'm'))
}

/** Empty folders that anybody may write, as Container Instances mount shares; `conf` has files. */
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

/** Runs a container's command as the image's user, with the checkout in the place of `/app`. */
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
      // The checkout's own isn't this user's to write.
      NODE_COMPILE_CACHE: join(root, 'app/state/compiled'),
    },
  })
}

/** What a command comes to that ends by itself. */
export async function endedAsContainer(place: StartPlace, command: readonly string[]) {
  const program = await runAsContainer(place, { command, environment: {} })
  const { code } = await program.exited
  return { code, said: program.lines.entries.join('\n') }
}

/** nats-server says so where the loopback is the only way out. */
const LONELY = /Address \\"0\.0\.0\.0\\" can not be resolved/

/** Nothing tried what a share refuses, and everything that a program says is a log line. */
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

/** A call on the port that the shipped file names. */
export function callGateway(path: string): Promise<Response> {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
  return fetch(`${GATEWAY}${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
}
