import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import { readArm } from './arm-under-test.ts'
import { RULE_ID } from './azure-under-test.ts'
import { deployArm } from './deployment-under-test.ts'
import { memberOf } from './evaluate-under-test.ts'

export type ContainerPlace = {
  /** A folder that stands for the container's root. */
  readonly root: string
  /** Makes conf and log below it behave as shares. */
  readonly library: string
  readonly aiServiceApiBase: string
  readonly logsUrl: string
}

const CHECKOUT = join(import.meta.dirname, '../../..')
const USER = '65532'
/** What Azure puts in the place of what the template only refers to. */
const KNOWN_LATER = new Map([
  ['AZURE_LOGS_RULE_ID', RULE_ID],
  ['AZURE_CLIENT_ID', 'c-1'],
])

/** The container's command of main.json with its environment, as the image's user; every service is healthy. */
export async function startContainer(place: ContainerPlace): Promise<Program> {
  const { command, environment } = containerOf(place)
  const program = await run(place, command, environment)
  await waitForLine(program, /"all services healthy"/, 120_000)
  return program
}

/** What one of the container's probes comes to. */
export async function probeContainer(place: ContainerPlace, name: 'livenessProbe' | 'readinessProbe') {
  const { container } = containerOf(place)
  const program = await run(place, texts(memberOf(memberOf(memberOf(container, name), 'exec'), 'command')), {})
  const { code } = await program.exited
  return { code, said: program.lines.entries.join('\n') }
}

function containerOf({ aiServiceApiBase, logsUrl }: ContainerPlace) {
  const arm = readArm(readFileSync(join(CHECKOUT, 'deploy/azure/main.json'), 'utf8'))
  const { resources } = deployArm(arm, { aiServiceApiBase, natsToken: 'a token of some length' })
  const group = [...resources.values()].find(({ type }) => type === 'Microsoft.ContainerInstance/containerGroups')
  const containers = memberOf(memberOf(group?.body, 'properties'), 'containers')
  const container = memberOf(memberOf(containers, 0), 'properties')
  const variables: unknown = memberOf(container, 'environmentVariables')
  assert.ok(Array.isArray(variables))
  const environment = variables.map(({ name, value, secureValue }) => [name, value ?? secureValue])
  const given = { ...Object.fromEntries(environment), ...Object.fromEntries(KNOWN_LATER), AZURE_LOGS_URL: logsUrl }
  return { container, command: texts(memberOf(container, 'command')), environment: given }
}

function run(
  { root, library }: ContainerPlace,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Program> {
  const [node, program = '', ...args] = command
  assert.equal(node, '/usr/bin/node')
  const asUser = ['--reuid', USER, '--regid', USER, '--clear-groups']
  const inCheckout = program.replace(/^\/app\//, `${CHECKOUT}/`)
  const shares = ['conf', 'log'].map((name) => join(root, 'app', name)).join(':')
  return startProgram({
    command: 'setpriv',
    args: [...asUser, process.execPath, inCheckout, ...args, '--root', root],
    environment: {
      ...environment,
      PATH: process.env.PATH,
      LD_PRELOAD: library,
      SHARES: shares,
      // The checkout's own isn't this user's to write.
      NODE_COMPILE_CACHE: join(root, 'app/state/compiled'),
    },
  })
}

function texts(value: unknown): readonly string[] {
  assert.ok(Array.isArray(value) && value.every((item) => typeof item === 'string'))
  return value
}
