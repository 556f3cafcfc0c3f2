import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '../fake/api-server.ts'
import type { ObjectReference, StoredObject } from './admin.ts'
import { describeCall } from './api-call.ts'
import { says } from './edit-round.ts'
import { describeOperator, type FaultScene, type ProxiedOperator, startFaultScene, writesOf } from './fault-scene.ts'
import { configText } from './gateway-pods.ts'
import { gatewayOf, mixedSet, namespaceOf, routerOf, secretOf } from './mixed-set.ts'
import { assertSameState, readState } from './settled-state.ts'
import { untilSettled } from './until-settled.ts'
import { until } from './wait.ts'

// Rules: docs/reference/kubernetes.md#paths, docs/reference/kubernetes.md#ownership,
// docs/reference/kubernetes.md#delivery

const CLASS = 'edits'
/** Longer than the two seconds that a status waits for pods. */
const QUIET_MS = 3_500
const SELECTED = { namespaces: { from: 'Selector', selector: { matchLabels: { llm: 'yes' } } } }

/** The first test waits for the garbage collector most of the time, so the others run meanwhile. */
describe('edits by people while an operator runs', { skip: whyNoApiServer(process.env), concurrency: true }, () => {
  let scene: FaultScene
  let operator: ProxiedOperator
  before(async () => {
    scene = await startFaultScene()
    operator = await scene.startOperator(CLASS)
  })
  after(() => scene?.close())

  const eventually = async (what: string, holds: () => Promise<boolean>, withinMs = 120_000): Promise<void> => {
    try {
      await until(what, async () => (await holds()) || undefined, { everyMs: 150, withinMs })
    } catch (cause) {
      throw new Error(`${what}\n${describeOperator(operator)}`, { cause })
    }
  }
  const saying = (place: ObjectReference, type: string, status: string, reason: string): Promise<void> =>
    eventually(`${place.name}: ${type} ${status} ${reason}`, async () =>
      says(await scene.admin.get(place), type, status, reason),
    )
  const entries = async (
    namespace: string,
  ): Promise<readonly { readonly path: string; readonly disabled?: boolean }[]> => {
    const config = await scene.admin.get({ kind: 'ConfigMap', namespace, name: 'main-config' })
    return JSON.parse(configText(config) ?? '{"routers":[]}').routers
  }
  const serves = (namespace: string, paths: readonly string[]): Promise<void> =>
    eventually(`${namespace} serves ${paths}`, async () => {
      const served = (await entries(namespace)).filter(({ disabled }) => disabled !== true).map(({ path }) => path)
      return JSON.stringify(served) === JSON.stringify(paths)
    })
  /** Returns the state of a prefix once the operator is idle. */
  const stateOnceSettled = async (prefix: string): Promise<readonly string[]> => {
    await until('the first write', () => writesOf(operator, prefix)[0])
    await untilSettled(scene, operator, { prefix, quietMs: QUIET_MS })
    return readState(scene.admin, prefix)
  }
  const returnsTo = async (prefix: string, expected: readonly string[], what: string): Promise<void> => {
    const isBack = async () => JSON.stringify(await readState(scene.admin, prefix)) === JSON.stringify(expected)
    await until(what, async () => (await isBack()) || undefined, { everyMs: 250 }).catch(async () =>
      assertSameState(await readState(scene.admin, prefix), expected, `${what}\n${describeOperator(operator)}`),
    )
  }
  const ownedObjects = async (prefix: string): Promise<readonly StoredObject[]> => {
    const kinds = ['Service', 'ServiceAccount', 'Deployment', 'StatefulSet', 'PodDisruptionBudget', 'NetworkPolicy']
    const lists = await Promise.all([...kinds, 'Secret', 'ConfigMap'].map((kind) => scene.admin.list(kind)))
    return lists.flat().filter(({ metadata: { namespace = '', ownerReferences = [] } }) => {
      return namespace.startsWith(prefix) && ownerReferences.some(({ controller }) => controller === true)
    })
  }

  test('deleting a gateway leaves its Routers and people’s objects, and the Routers join a gateway created again', async () => {
    await scene.admin.apply(...mixedSet('gone-', CLASS))
    const before = await stateOnceSettled('gone-')
    const gateway = { kind: 'LLMGateway', namespace: 'gone-llm', name: 'main' }
    await scene.admin.remove(gateway)
    await saying({ kind: 'Router', namespace: 'gone-llm', name: 'plain' }, 'Accepted', 'False', 'GatewayNotFound')
    await saying({ kind: 'Router', namespace: 'gone-team', name: 'keyed' }, 'Accepted', 'False', 'GatewayNotFound')
    // The garbage collector looks for new kinds every 30 s.
    await eventually('nothing owned is left', async () => (await ownedObjects('gone-')).length === 0, 180_000)
    await scene.admin.apply(...mixedSet('gone-', CLASS))
    await returnsTo('gone-', before, 'the gateway made anew')
  })

  describe('other edits meanwhile', { concurrency: 1 }, () => {
    test('a path belongs to the Router that claimed it first, of all namespaces, until that Router is deleted', async () => {
      for (const name of ['own', 'a', 'b', 'c']) await scene.admin.apply(namespaceOf(`claim-${name}`))
      await scene.admin.apply(gatewayOf('claim-own', CLASS, { allowedRouters: { ...SELECTED, paths: 'Any' } }))
      const gateway = 'claim-own/main'
      const env = [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'absent', key: 'key' } } }]
      const first = { kind: 'Router', namespace: 'claim-a', name: 'first' }
      const second = { kind: 'Router', namespace: 'claim-b', name: 'second' }
      // Later resources have later names, since names decide between Routers made in the same second.
      const third = { kind: 'Router', namespace: 'claim-c', name: 'third' }
      // The Router is unresolved and still holds the path.
      await scene.admin.apply(routerOf({ ...first, gateway }, { path: '/shared/x/', env, outbound: { url: '${KEY}' } }))
      await saying(first, 'ResolvedRefs', 'False', 'SecretNotFound')
      await scene.admin.apply(routerOf({ ...second, gateway }, { path: '/shared/' }))
      await saying(second, 'Accepted', 'False', 'PathConflict')
      await serves('claim-own', [])
      await scene.admin.remove(first)
      await saying(second, 'Programmed', 'True', 'Programmed')
      await serves('claim-own', ['/shared/'])
      await scene.admin.apply(routerOf({ ...third, gateway }, { path: '/shared/x/' }))
      await saying(third, 'Accepted', 'False', 'PathConflict')
      await serves('claim-own', ['/shared/'])
    })

    test('the Routers of a deleted namespace leave the configuration; a namespace with a gateway can be deleted, too', async () => {
      await scene.admin.apply(...mixedSet('ns-', CLASS))
      const team = 'ns-team'
      await saying({ kind: 'Router', namespace: team, name: 'keyed' }, 'Programmed', 'True', 'Programmed')
      await scene.admin.remove({ kind: 'Namespace', name: team })
      await eventually('the namespace is gone', async () => {
        return (await scene.admin.get({ kind: 'Namespace', name: team })) === undefined
      })
      await eventually('the Routers of the namespace are not served', async () => {
        return (await entries('ns-llm')).every(({ path }) => !path.startsWith(`/${team}/`))
      })
      await scene.admin.apply(namespaceOf(team), routerOf({ namespace: team, name: 'left', gateway: 'ns-llm/main' }))
      await scene.admin.remove({ kind: 'Namespace', name: 'ns-llm' })
      await eventually('the gateway and its namespace are gone', async () => {
        return (await scene.admin.get({ kind: 'Namespace', name: 'ns-llm' })) === undefined
      })
      await saying({ kind: 'Router', namespace: team, name: 'left' }, 'Accepted', 'False', 'GatewayNotFound')
    })

    test('edited objects of the operator are restored, and deleted objects are created again', async () => {
      await scene.admin.apply(...mixedSet('drift-', CLASS))
      const before = await stateOnceSettled('drift-')
      const things = await ownedObjects('drift-')
      assert.ok(things.length >= 10, `${things.length} objects`)
      for (const thing of things) {
        const { namespace = '', name } = thing.metadata
        await scene.admin.merge({ kind: thing.kind, namespace, name }, drift(thing))
      }
      await returnsTo('drift-', before, 'edited')
      for (const { kind, metadata } of things) {
        const { namespace = '', name } = metadata
        await scene.admin.remove({ kind, namespace, name })
      }
      await returnsTo('drift-', before, 'deleted')
    })

    test('a rotated key costs a write of the values and of the gateway’s status, and no write of a Router', async () => {
      await scene.admin.apply(...mixedSet('rotate-', CLASS))
      const before = await stateOnceSettled('rotate-')
      const count = writesOf(operator, 'rotate-').length
      await scene.admin.apply(secretOf('rotate-team', 'azure', { key: 'new-team-key' }))
      await eventually('the new key is there', async () =>
        JSON.stringify(await readState(scene.admin, 'rotate-')).includes('new-team-key'),
      )
      const after = await stateOnceSettled('rotate-')
      assertSameState(
        after.map((text) => text.replaceAll('new-team-key', 'team-key')),
        before,
        'rotated',
      )
      const written = writesOf(operator, 'rotate-')
        .slice(count)
        .map(({ call }) => describeCall(call))
      assert.equal(written.filter((write) => write === 'patch secrets main-values').length, 1, `${written}`)
      // Nudges and the gateway's status; slow pods cause more than one of these.
      assert.deepEqual(
        written.filter((write) => !/^patch (secrets main-values|pods .*|llmgateways main status)$/.test(write)),
        [],
      )
    })

    test('an edit costs one status of its Router and one of its gateway, whenever its pods answer', async () => {
      await scene.admin.apply(...mixedSet('cost-', CLASS))
      await stateOnceSettled('cost-')
      const router = { kind: 'Router', namespace: 'cost-llm', name: 'plain' }
      const count = writesOf(operator, 'cost-').length
      for (const edit of [1, 2, 3]) {
        const found = await scene.admin.get(router)
        await scene.admin.merge(router, { spec: { outbound: { endpoint: `/edit-${edit}` } } })
        const generation = Number(found?.metadata.generation) + 1
        await eventually(`edit ${edit} is live`, async () => {
          const conditions = JSON.stringify((await scene.admin.get(router))?.status)
          return conditions.includes(`"observedGeneration":${generation},"reason":"Programmed"`)
        })
        await stateOnceSettled('cost-')
      }
      const statuses = writesOf(operator, 'cost-')
        .slice(count)
        .map(({ call }) => describeCall(call))
        .filter((write) => write.endsWith(' status'))
      const once = ['patch llmgateways main status', 'patch routers plain status']
      assert.deepEqual(statuses.toSorted(), [...once, ...once, ...once].toSorted())
    })

    for (const [kind, name] of [
      ['Secret', 'main-values'],
      ['Secret', 'main-bus-token'],
      ['ConfigMap', 'main-config'],
      ['Service', 'main'],
    ] as const) {
      test(`a foreign ${kind} ${name} is a NameConflict and stays as it is`, async () => {
        const namespace = `taken-${name}-${kind.toLowerCase()}`
        const place = { kind, namespace, name }
        const spec = kind === 'Service' ? { spec: { ports: [{ port: 81 }] } } : {}
        await scene.admin.apply(namespaceOf(namespace), {
          apiVersion: 'v1',
          kind,
          metadata: { name, namespace },
          ...spec,
        })
        const { metadata } = (await scene.admin.get(place)) ?? {}
        const gateway = { kind: 'LLMGateway', namespace, name: 'main' }
        await scene.admin.apply(gatewayOf(namespace, CLASS))
        await saying(gateway, 'Accepted', 'False', 'NameConflict')
        assert.equal((await scene.admin.get(place))?.metadata.resourceVersion, metadata?.resourceVersion)
        await scene.admin.remove(place)
        await saying(gateway, 'Accepted', 'True', 'Accepted')
      })
    }
  })
})

/** Returns a change of an object that is not from its owner. */
function drift({ kind, metadata, data }: StoredObject): object {
  // A generated Secret is never applied, so changes by people stay.
  if (metadata.name.endsWith('-token')) return {}
  // Valid JSON and valid base64.
  const other = Object.fromEntries(Object.keys(data ?? {}).map((key) => [key, 'true']))
  // The labels are the operator's permission: it may not write to a Secret without them.
  if (kind === 'Secret') return { data: { ...other, REVISION: undefined } }
  return { ...DRIFT[kind], ...(kind === 'ConfigMap' ? { data: other } : {}), metadata: { labels: LABELS } }
}

const LABELS = { 'app.kubernetes.io/name': 'other', 'app.kubernetes.io/managed-by': 'other' }
const DRIFT: Readonly<Record<string, object>> = {
  Service: { spec: { selector: { 'app.kubernetes.io/name': 'elsewhere' } } },
  ServiceAccount: { automountServiceAccountToken: true },
  Deployment: { spec: { replicas: 5, template: { spec: { terminationGracePeriodSeconds: 1 } } } },
  StatefulSet: { spec: { replicas: 0 } },
  PodDisruptionBudget: { spec: { maxUnavailable: 7 } },
  NetworkPolicy: { spec: { ingress: null } },
}
