import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '../fake/api-server.ts'
import type { StoredObject } from './admin.ts'
import { says } from './edit-round.ts'
import { describeOperator, type FaultScene, type ProxiedOperator, startFaultScene } from './fault-scene.ts'
import { gatewayOf, namespaceOf, routerOf } from './mixed-set.ts'
import { until } from './wait.ts'

// Rules: docs/reference/kubernetes.md#delivery

const CLASS = 'foreign'
const NS = 'foreign-llm'
/** The labels that select the gateway's pods, and all others that the operator sets. */
const LABELS = {
  'llmgateway.io/gateway': 'main',
  'app.kubernetes.io/name': 'llm-gateway',
  'app.kubernetes.io/instance': 'main',
  'app.kubernetes.io/component': 'gateway',
  'app.kubernetes.io/managed-by': 'llm-gateway-operator',
}
const POD = { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'a' }] }

function podOf(name: string, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NS, labels: LABELS, ...more }, spec: POD }
}

/** Returns somebody else's Deployment that carries all our labels but has a selector of its own. */
function deploymentOf(name: string): object {
  const labels = { ...LABELS, theirs: name }
  const spec = {
    replicas: 1,
    selector: { matchLabels: { theirs: name } },
    template: { metadata: { labels }, spec: POD },
  }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: NS, labels: LABELS }, spec }
}

function owner(kind: string, name: string, uid: string): object {
  return { ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true }] }
}

describe("pods that carry the label of a gateway and don't belong to its ReplicaSet", {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: FaultScene
  let operator: ProxiedOperator
  before(async () => {
    scene = await startFaultScene()
    await scene.admin.apply(
      namespaceOf(NS),
      gatewayOf(NS, CLASS, { replicas: 2 }),
      routerOf({ namespace: NS, name: 'edited' }),
    )
    operator = await scene.startOperator(CLASS)
  })
  after(() => scene?.close())

  const router = { kind: 'Router', namespace: NS, name: 'edited' }
  const untilProgrammed = async (): Promise<string> => {
    const thing = await until('the Router is Programmed', async () => {
      const found = await scene.admin.get(router)
      return says(found, 'Programmed', 'True', 'Programmed') ? found : undefined
    }).catch((cause) => {
      throw new Error(describeOperator(operator), { cause })
    })
    return messageOf(thing)
  }
  /** Returns all pods with the gateway's label. */
  const pods = async (): Promise<readonly StoredObject[]> =>
    (await scene.admin.list('Pod', NS)).filter(({ metadata }) => metadata.labels?.['llmgateway.io/gateway'] === 'main')
  /** Returns the pods that the operator has read or written since a time. */
  const touched = (since: number): ReadonlySet<string> => {
    const calls = operator.proxy.received.entries.filter(({ call, at }) => at > since && call.resource === 'pods')
    return new Set(calls.filter(({ call }) => call.name !== '').map(({ call }) => call.name.split(':')[0] ?? ''))
  }

  test('the operator neither asks nor nudges nor counts these pods', async () => {
    await untilProgrammed()
    const own = (await pods()).map(({ metadata }) => metadata.name)
    assert.equal(own.length, 2)
    const uidOf = async (kind: string): Promise<string> => {
      const found = await scene.admin.get({ kind, namespace: NS, name: 'main' })
      return found?.metadata.uid ?? ''
    }
    await scene.admin.apply(
      podOf('bare'),
      podOf('forged-name', owner('ReplicaSet', (own[0] ?? '').replace(/-[^-]+$/, ''), await uidOf('Deployment'))),
      podOf('of-the-deployment', owner('Deployment', 'main', await uidOf('Deployment'))),
      podOf('of-the-gateway', owner('LLMGateway', 'main', await uidOf('LLMGateway'))),
      deploymentOf('theirs'),
    )
    const isHostile = (name: string): boolean => !own.includes(name)
    const hostile = await until('the foreign pods are ready', async () => {
      const others = (await pods()).filter(({ metadata }) => isHostile(metadata.name))
      return others.length === 4 && others.every(isReady) ? others : undefined
    }).catch(async (cause) => {
      throw new Error(JSON.stringify((await pods()).map(({ metadata }) => metadata.name)), {
        cause,
      })
    })
    const since = performance.now()
    await scene.admin.merge(router, { spec: { outbound: { url: 'https://other.example/' } } })
    assert.match(await untilProgrammed(), /2 of 2 ready gateway pods use/)
    const gateway = await until('the gateway is Programmed', async () => {
      const found = await scene.admin.get({ kind: 'LLMGateway', namespace: NS, name: 'main' })
      return says(found, 'Programmed', 'True', 'Programmed') ? found : undefined
    })
    assert.ok(says(gateway, 'Ready', 'True', 'Ready'), 'the bus state of foreign pods does not count')
    assert.deepEqual([...touched(since)].toSorted(), own.toSorted())
    const nudged = (await pods()).filter(({ metadata }) => 'llmgateway.io/config' in (metadata.annotations ?? {}))
    assert.deepEqual(nudged.map(({ metadata }) => metadata.name).toSorted(), own.toSorted())
    assert.equal(hostile.length, 4)
  })

  test('the pods of a new ReplicaSet of the gateway’s Deployment count at once', async () => {
    const gateway = { kind: 'LLMGateway', namespace: NS, name: 'main' }
    const before = new Set((await pods()).map(({ metadata }) => metadata.name))
    await scene.admin.merge(gateway, { spec: { image: 'llm-gateway:other' } })
    const fresh = await until('new pods', async () => {
      const others = (await pods()).filter(({ metadata }) => !before.has(metadata.name))
      return others.length === 2 && others.every(isReady) ? others : undefined
    })
    await until('the new pods were asked', () =>
      fresh.every(({ metadata }) => touched(0).has(metadata.name)) ? true : undefined,
    )
    await scene.admin.merge(router, { spec: { outbound: { url: 'https://third.example/' } } })
    assert.match(await untilProgrammed(), /2 of 2 ready gateway pods use/)
  })
})

function isReady({ status }: StoredObject): boolean {
  return JSON.stringify(status ?? {}).includes('"type":"Ready"')
}

function messageOf({ status }: StoredObject): string {
  const { conditions }: { readonly conditions: readonly { readonly type: string; readonly message: string }[] } =
    JSON.parse(JSON.stringify(status))
  return conditions.find(({ type }) => type === 'Programmed')?.message ?? ''
}
