import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, waitForLine } from '@llm-gateway/test/fake/program'
import { CHECKOUT, endedAsContainer, runAsContainer, type StartPlace } from '../../starting/started-under-test.ts'
import { readArm } from './arm-under-test.ts'
import { RULE_ID } from './azure-under-test.ts'
import { deployArm, type Given } from './deployment-under-test.ts'
import { memberOf } from './evaluate-under-test.ts'

export type ContainerPlace = StartPlace & {
  readonly aiServiceApiBase: string
  readonly logsUrl: string
  /** Parameters of the deployment beside those that have to be given. */
  readonly given?: Given
}

/** Values with which Azure replaces the template's references. */
const KNOWN_LATER = new Map([
  ['AZURE_LOGS_RULE_ID', RULE_ID],
  ['AZURE_CLIENT_ID', 'c-1'],
])

/**
 * Starts the container's command of main.json with its environment, as the image's user; resolves when every service is
 * healthy.
 */
export async function startContainer(place: ContainerPlace): Promise<Program> {
  const program = await runAsContainer(place, containerOf(place))
  await waitForLine(program, /"all services healthy"/, 120_000)
  return program
}

/** Runs the container's command to its end, where it can't start; returns its code and output. */
export async function failContainer(place: ContainerPlace) {
  return await endedAsContainer(place, containerOf(place).command)
}

/** Runs one of the container's probes and returns its outcome. */
export async function probeContainer(place: ContainerPlace, name: 'livenessProbe' | 'readinessProbe') {
  const { container } = containerOf(place)
  return await endedAsContainer(place, texts(memberOf(memberOf(memberOf(container, name), 'exec'), 'command')))
}

function containerOf({ aiServiceApiBase, logsUrl, given = {} }: ContainerPlace) {
  const arm = readArm(readFileSync(join(CHECKOUT, 'deploy/azure/main.json'), 'utf8'))
  const { resources } = deployArm(arm, { aiServiceApiBase, natsToken: 'a token of some length', ...given })
  const group = [...resources.values()].find(({ type }) => type === 'Microsoft.ContainerInstance/containerGroups')
  const containers = memberOf(memberOf(group?.body, 'properties'), 'containers')
  const container = memberOf(memberOf(containers, 0), 'properties')
  const variables: unknown = memberOf(container, 'environmentVariables')
  assert.ok(Array.isArray(variables))
  const environment = variables.map(({ name, value, secureValue }) => [name, value ?? secureValue])
  const known = { ...Object.fromEntries(environment), ...Object.fromEntries(KNOWN_LATER), AZURE_LOGS_URL: logsUrl }
  return { container, command: texts(memberOf(container, 'command')), environment: known }
}

function texts(value: unknown): readonly string[] {
  assert.ok(Array.isArray(value) && value.every((item) => typeof item === 'string'))
  return value
}
