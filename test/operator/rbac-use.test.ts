import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { whyNoApiServer } from '../fake/api-server.ts'
import { readAuditLog } from '../fake/audit-log.ts'
import type { Admin } from './admin.ts'
import { editRound, says, untilRoundIsLive } from './edit-round.ts'
import {
  DEFAULT_CLASS,
  describeOperator,
  type FaultScene,
  type ProxiedOperator,
  startFaultScene,
} from './fault-scene.ts'
import { gatewayOf, mixedSet, processorOf, routerOf, secretOf } from './mixed-set.ts'
import { untilSettled, untilStarted } from './until-settled.ts'
import { until } from './wait.ts'

// Rules: docs/reference/kubernetes.md#trust

const PREFIX = 'rbac-'
const NAMESPACE = `${PREFIX}llm`
const USER = 'system:serviceaccount:llm-gateway-system:llm-gateway-operator'
const UNUSED = join(import.meta.dirname, '../../operator/rbac-unused.json')
const QUIET_MS = 4_000
const REST_MS = 10_000
/** The namespace of the lease, which is renewed all the time, and of the leader's Events. */
const SYSTEM = 'llm-gateway-system'
const SERIES_MS = 31_000
const READS = ['get', 'list', 'watch']

/** A verb and its resource: `patch llmgateway.io/routers/status`. */
type Right = string
type Audited = {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly responseStatus?: { readonly code?: number }
  readonly requestURI: string
  readonly objectRef?: {
    readonly namespace?: string
    readonly apiGroup?: string
    readonly resource?: string
    readonly subresource?: string
  }
}
type Rule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

describe('the operator with exactly the rights that it is shipped with', { skip: whyNoApiServer(process.env) }, () => {
  let scene: FaultScene
  let operator: ProxiedOperator
  before(async () => {
    scene = await startFaultScene({ audit: true, exactRights: true })
    await scene.admin.apply(...mixedSet(PREFIX, DEFAULT_CLASS))
    operator = await scene.startOperator(DEFAULT_CLASS)
  })
  after(() => scene?.close())

  /** Returns the operator's calls in the audit log. */
  const audited = (): readonly Audited[] =>
    readAuditLog(scene.server.auditLog)
      .filter((line) => line.includes(USER))
      .map((line): Audited => JSON.parse(line))
      .filter(({ user }) => user.username === USER)
  const writes = () =>
    audited()
      .filter(({ verb, objectRef }) => !READS.includes(verb) && objectRef?.namespace !== SYSTEM)
      // The operator asks for its own name.
      .filter(({ objectRef }) => objectRef?.resource !== 'selfsubjectreviews')
  const quiet = () => untilSettled(scene, operator, { prefix: PREFIX, quietMs: QUIET_MS })

  test('can do all of its work', async () => {
    const { admin } = scene
    await withoutKey(admin)
    const toldAt = performance.now()
    await editRound(admin, PREFIX, 1)
    await untilRoundIsLive(admin, PREFIX, 1)
    // Every object that can come, change and go while the gateway stays.
    await admin.apply(processorOf(NAMESPACE, 'count', { type: 'CharacterCount', replicas: 2 }))
    await until(
      'the Processor runs',
      async () =>
        says(await admin.get({ kind: 'Processor', namespace: NAMESPACE, name: 'count' }), 'Programmed', 'True') ||
        undefined,
    )
    const sinks = { file: {} }
    await admin.merge(
      { kind: 'LLMGateway', namespace: NAMESPACE, name: 'main' },
      { spec: { record: { sinks }, webInterface: {} } },
    )
    await quiet()
    await admin.remove({ kind: 'Processor', namespace: NAMESPACE, name: 'count' })
    const bus = {
      type: 'External',
      servers: ['nats.example:4222'],
      tokenSecretRef: { name: 'azure', key: 'key' },
      managed: null,
    }
    await admin.merge(
      { kind: 'LLMGateway', namespace: NAMESPACE, name: 'main' },
      { spec: { bus, record: null, webInterface: null } },
    )
    let left: readonly string[] = []
    const onlyTheGateway = async (): Promise<true | undefined> => {
      const lists = await Promise.all(['StatefulSet', 'Deployment'].map((kind) => admin.list(kind, NAMESPACE)))
      left = lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      return left.length === 1 ? true : undefined
    }
    await until('the unwanted workloads are gone', onlyTheGateway, { withinMs: 240_000 }).catch((cause) => {
      throw new Error(`${left}\n${describeOperator(operator)}`, { cause })
    })
    // An Event repeated within six minutes is counted in the existing Event; later a new Event is made.
    await pause(Math.max(0, SERIES_MS - (performance.now() - toldAt)))
    await withoutKey(admin)
    await until('a counted Event', () =>
      operator.proxy.received.entries.find(({ call }) => call.verb === 'patch' && call.resource === 'events'),
    )
    await admin.apply(gatewayOf(NAMESPACE, DEFAULT_CLASS, {}, 'short'))
    await admin.apply(routerOf({ namespace: NAMESPACE, name: 'short', gateway: 'short' }))
    await admin.remove({ kind: 'LLMGateway', namespace: NAMESPACE, name: 'short' })
    await until(
      'the status of the Router of the deleted gateway',
      async () =>
        says(
          await admin.get({ kind: 'Router', namespace: NAMESPACE, name: 'short' }),
          'Accepted',
          'False',
          'GatewayNotFound',
        ) || undefined,
    )
    await quiet()
  })

  test('a standby that takes over without changes writes nothing, and nothing at rest', async () => {
    const leader = operator
    operator = await scene.startOperator(DEFAULT_CLASS)
    // An operator that finds the lease free may lead before it has asked for a watch.
    await until('a standby, which watches the lease', () =>
      operator.proxy.received.entries.find(({ call }) => call.verb === 'watch' && call.resource === 'leases'),
    )
    const before = writes().length
    await scene.stop(leader)
    await untilStarted(operator)
    await pause(REST_MS)
    assert.deepEqual(
      writes()
        .slice(before)
        .map(({ verb, requestURI }) => `${verb} ${requestURI}`),
      [],
    )
  })

  test('no request of the operator was forbidden', () => {
    const forbidden = audited().filter(({ responseStatus }) => responseStatus?.code === 403)
    assert.ok(audited().length > 100)
    assert.deepEqual([...new Set(forbidden.map(({ verb, requestURI }) => `${verb} ${requestURI}`))], [])
  })

  test('every right was used, or rbac-unused.json has the reason for it', async () => {
    const granted = await grantedRights(scene)
    const used = new Set(audited().map(rightOf))
    const reasons: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(UNUSED, 'utf8'))
    const unused = granted.filter((right) => !used.has(right))
    assert.ok(granted.length > 20)
    assert.deepEqual(
      unused.filter((right) => typeof reasons[right] !== 'string'),
      [],
      'granted, never used, no reason',
    )
    const stale = Object.keys(reasons).filter((right) => used.has(right) || !granted.includes(right))
    assert.deepEqual(stale, [], 'a reason for a right that is used or not granted')
  })
})

/** Removes the key of a Router and adds it again. */
async function withoutKey(admin: Admin): Promise<void> {
  const router = { kind: 'Router', namespace: `${PREFIX}team`, name: 'keyed' }
  const resolved = async (status: string) => says(await admin.get(router), 'ResolvedRefs', status) || undefined
  await until('a key', () => resolved('True'))
  await admin.remove({ kind: 'Secret', namespace: `${PREFIX}team`, name: 'azure' })
  await until('no key', () => resolved('False'))
  await admin.apply(secretOf(`${PREFIX}team`, 'azure', { key: 'again' }))
  await until('the key again', () => resolved('True'))
}

function rightOf({ verb, objectRef: { apiGroup = '', resource = '', subresource } = {} }: Audited): Right {
  return `${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`
}

/** Returns the rights of all roles that are bound to the operator's service account. */
async function grantedRights({ kubectl }: FaultScene): Promise<readonly Right[]> {
  const lists = await Promise.all(
    [`clusterrole/llm-gateway-operator.${SYSTEM}`, 'role/llm-gateway-operator'].map((role) =>
      kubectl('-n', SYSTEM, 'get', role, '-o', 'json'),
    ),
  )
  const rules = lists.flatMap((text): readonly Rule[] => JSON.parse(text).rules)
  const rights = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`))),
  )
  return [...new Set(rights)].sort()
}
