import assert from 'node:assert/strict'
import { test } from 'node:test'
import { llmGatewaySchema, processorSchema, routerSchema } from '@llm-gateway/crds'
import type { ClusterState } from '../kube/cluster-state.ts'
import { emptyClusterState } from '../kube/cluster-state-under-test.ts'
import { decodeNamespace, MOST_NAMESPACE_LABELS } from '../kube/decode-lean.ts'
import type { LiveCallPoint } from '../model/snapshot.ts'
import { admitsNamespace } from '../translate/admit-namespace.ts'
import type { ValuesOutcome } from '../write/values-secret.ts'
import type { SourceReader } from './source-reader.ts'
import { createSnapshotTaker } from './take-snapshot.ts'

// Rules: docs/reference/kubernetes.md#paths

const gateway = llmGatewaySchema.parse({ metadata: { name: 'main', namespace: 'llm', uid: 'u' }, spec: {} })

test('a namespace whose labels are too long is admitted by no selector, not even by one for a missing label', async () => {
  const state = emptyClusterState('llm/main')
  const long = 'x'.repeat(MOST_NAMESPACE_LABELS)
  for (const [name, labels] of Object.entries({ short: { team: 'a' }, long: { team: 'a', padding: long } })) {
    const namespace = decodeNamespace({ metadata: { name, labels } })
    assert.ok(namespace)
    state.namespaces.put(namespace)
  }
  const { namespaces: labels } = await takerOf(state).take(gateway)
  const missing = { matchExpressions: [{ key: 'closed', operator: 'DoesNotExist' as const, values: [] }] }
  for (const selector of [{ matchLabels: { team: 'a' } }, missing]) {
    const admits = (name: string) => admitsNamespace({ from: 'Selector', selector }, name, { own: 'llm', labels })
    assert.deepEqual([admits('short'), admits('long')], [true, false])
  }
})

test('only sources of accepted Routers are read, anew once a Router is accepted', async () => {
  const state = emptyClusterState('llm/main')
  for (const namespace of ['llm', 'team-b']) state.routers.put(routerOf(namespace, '1'))
  const read: (readonly [key: string, since: number])[] = []
  const taker = takerOf(state, {
    read: async (_, wanted) => {
      read.splice(0, read.length, ...[...wanted].map(([key, { since }]) => [key, since] as const))
      return new Map([...wanted.keys()].map((key) => [key, { kind: 'missing' }]))
    },
    forget: () => undefined,
  })
  await taker.take(gateway)
  assert.deepEqual(
    read.filter(([key]) => key.endsWith('/own')),
    [['llm/Secret/own', 1]],
  )
  assert.deepEqual(taker.gatewaysOf('team-b/Secret/own'), [])
  await taker.take({
    ...gateway,
    spec: { ...gateway.spec, allowedRouters: { namespaces: { from: 'All' }, paths: 'NamespacePrefix' } },
  })
  assert.deepEqual(
    read.filter(([key]) => key.endsWith('/own')),
    [
      ['llm/Secret/own', 1],
      ['team-b/Secret/own', 2],
    ],
  )
  assert.deepEqual(taker.gatewaysOf('team-b/Secret/own'), ['llm/main'])
})

test('the call points in use are read for a refused Processor, also where its edit asks for none any more', async () => {
  const state = emptyClusterState('llm/main')
  const call = { timeout: 500, modifier: false, required: true, async: false, output_fields_write: ['control'] }
  const fields = { input_fields_include: [], input_fields_exclude: [], routers: [], reroute_to: [] }
  const entry = { name: 'guard', service_bus_topic: 'llm.gl.custom.guard', ...call, ...fields }
  const point = { phase: 'request', row: 0, entry } as const
  const taken = async (config: object) => {
    const processor = processorSchema.parse({
      metadata: { name: 'guard', namespace: 'llm', uid: 'guard', generation: 2, resourceVersion: '1' },
      spec: { gatewayRef: { name: 'main' }, type: 'Custom', custom: { image: 'i', config }, request: {} },
    })
    state.processors.delete(processor)
    state.processors.put(processor)
    return (await takerOf(state, NOTHING, { callPoints: [point] }).take(gateway)).liveCallPoints
  }
  assert.deepEqual(await taken({}), [])
  assert.deepEqual(await taken({ any: 'x'.repeat(1024 * 1024) }), [point])
})

test('a snapshot names the refusal of the values that stand in for an unread source', async () => {
  const taken = async (kind: 'failed' | 'pending' | 'found') => {
    const source = kind === 'found' ? ({ kind, type: '', values: new Map() } as const) : { kind }
    const sources: SourceReader = { read: async () => new Map([['llm/Secret/own', source]]), forget: () => undefined }
    return (await takerOf(emptyClusterState('llm/main'), sources, { values: REFUSED }).take(gateway)).unreadValues
  }
  assert.deepEqual(
    [await taken('failed'), await taken('pending'), await taken('found')],
    ['InternalError', 'InternalError', undefined],
  )
})

test('a snapshot has the live routers where a source is pending or could not be read', async () => {
  const taken = async (kind: 'failed' | 'pending' | 'missing') => {
    const sources: SourceReader = { read: async () => new Map([['llm/Secret/own', { kind }]]), forget: () => undefined }
    return (await takerOf(emptyClusterState('llm/main'), sources).take(gateway)).liveRouters
  }
  assert.deepEqual(
    [await taken('failed'), await taken('pending'), await taken('missing')],
    [new Map(), new Map(), undefined],
  )
})

function routerOf(namespace: string, name: string) {
  return routerSchema.parse({
    metadata: { name, namespace, uid: `${namespace}-${name}`, generation: 1, resourceVersion: '1' },
    spec: {
      gatewayRef: { name: 'main', namespace: 'llm' },
      path: `/${namespace}/${name}/`,
      outbound: { url: 'https://res.example/' },
      env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'own', key: 'a' } } }],
    },
  })
}

const NOTHING: SourceReader = { read: async () => new Map(), forget: () => undefined }
const NO_VALUES: ValuesOutcome = { kind: 'found', live: undefined }
const REFUSED: ValuesOutcome = { kind: 'refused', code: 'InternalError' }

function takerOf(
  state: ClusterState,
  sources = NOTHING,
  {
    callPoints = [],
    values = NO_VALUES,
  }: { readonly callPoints?: readonly LiveCallPoint[]; readonly values?: ValuesOutcome } = {},
) {
  return createSnapshotTaker({
    state,
    sources,
    liveFile: {
      read: async () => ({ callPoints, routers: new Map() }),
      wrote: () => undefined,
      forget: () => undefined,
    },
    values: { read: async () => values },
    gatewayClass: 'llm-gateway',
    defaultImage: 'i',
    operatorNamespace: 'llm-gateway-system',
    operatorLabels: {},
    webReadRole: undefined,
    lease: undefined,
  })
}
