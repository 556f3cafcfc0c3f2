import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { llmGatewaySchema, type Router, routerSchema } from '@llm-gateway/crds'
import type { RouterEntry, Snapshot, Source } from '../../model/snapshot.ts'
import { translate } from '../translate.ts'
import { EntryMemory } from './entry-memory.ts'
import { NO_ROOM } from './no-room.ts'

function router(name: string, generation: number, spec: object = {}): Router {
  return routerSchema.parse({
    metadata: { name, namespace: 'team-a', uid: name, generation, creationTimestamp: '2026-11-21T01:00:00Z' },
    spec: {
      gatewayRef: { name: 'main', namespace: 'llm' },
      path: `/team-a/${name}/`,
      outbound: { url: 'https://res.example/', headers: { 'Api-Key': ['${KEY}'], 'X-Shared': ['${SHARED}'] } },
      env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'own', key: 'a' } } }],
      ...spec,
    },
  })
}

function gateway(generation: number, shared: string) {
  return llmGatewaySchema.parse({
    metadata: { name: 'main', namespace: 'llm', uid: 'g', generation, creationTimestamp: '2026-11-21T01:00:00Z' },
    spec: {
      allowedRouters: { namespaces: { from: 'All' } },
      sharedEnv: [
        { name: 'SHARED', value: shared, namespaces: { from: 'Selector', selector: { matchLabels: { llm: 'yes' } } } },
      ],
    },
  })
}

function secret(text: string, more: Readonly<Record<string, string>> = {}): Source {
  return { kind: 'found', type: 'Opaque', values: new Map([['a', text], ...Object.entries(more)]) }
}

const start: Snapshot = {
  gateway: gateway(1, 'one'),
  otherGateways: [],
  routers: [router('a', 1), router('b', 1)],
  processors: [],
  processorDeployments: new Map(),
  liveCallPoints: [],
  namespaces: new Map([['team-a', { llm: 'yes' }]]),
  sources: new Map([['team-a/Secret/own', secret('first')]]),
  defaultImage: 'image',
  operatorNamespace: 'llm-gateway-system',
}

const TOKEN_TYPE = 'kubernetes.io/service-account-token'

const edits: readonly (readonly [what: string, edit: Partial<Snapshot>])[] = [
  ['nothing', {}],
  ['a Secret that was read again', { sources: new Map([['team-a/Secret/own', secret('first')]]) }],
  ['a Secret of which more is read', { sources: new Map([['team-a/Secret/own', secret('first', { b: 'x' })]]) }],
  [
    'a Secret of which another key is read',
    { sources: new Map([['team-a/Secret/own', { ...secret('first'), values: new Map([['b', 'x']]) }]]) },
  ],
  ['a rotated Secret', { sources: new Map([['team-a/Secret/own', secret('second')]]) }],
  [
    'a Secret that became a token of a service account',
    { sources: new Map([['team-a/Secret/own', { ...secret('first'), type: TOKEN_TYPE }]]) },
  ],
  ['a deleted Secret', { sources: new Map() }],
  [
    'a Secret that can not be read',
    { routers: start.routers.map(accepted), sources: new Map([['team-a/Secret/own', { kind: 'failed' }]]), ...live() },
  ],
  ['an edited Router', { routers: [router('a', 2, { internal: true }), router('b', 1)] }],
  ['a Router without room in the caches', { routers: [withoutRoom(router('a', 1)), router('b', 1)] }],
  ['a deleted Router', { routers: [router('b', 1)] }],
  ['a Router that was created again', { routers: [{ ...router('a', 1, { internal: true }), ...newUid() }] }],
  ['another masked header', { gateway: withSpec({ record: { maskedHeaders: ['X-Shared'] } }) }],
  [
    'hosts that Routers may call',
    { gateway: withSpec({ allowedRouters: { namespaces: { from: 'All' }, hosts: ['a.example'] } }) },
  ],
  ['a variable of the process', { gateway: withSpec({ env: [{ name: 'SHARED', value: 'x' }], sharedEnv: [] }) }],
  [
    "a Secret that became the bus's token",
    { gateway: withSpec({ bus: { tokenSecretRef: { name: 'own', key: 'a' } } }) },
  ],
  ['another shared text', { gateway: gateway(2, 'two') }],
  ['a namespace that lost its label', { namespaces: new Map([['team-a', {}]]) }],
]

describe('the memory of entries saves work and changes no result', () => {
  for (const [what, edit] of edits) {
    test(`${what}: after the edit and after its reversal the outcome equals that of a fresh start`, () => {
      const memory = new EntryMemory()
      for (const snapshot of [start, { ...start, ...edit }, start]) {
        const { statuses: _, statusSteps: _steps, ...remembered } = translate(snapshot, memory)
        const { statuses: __, statusSteps: __steps, ...fresh } = translate(snapshot)
        assert.deepEqual(remembered, fresh)
      }
    })
  }

  test('an edit builds the one Router that it changes', () => {
    const memory = new EntryMemory()
    const made: string[] = []
    const build = (uid: string, generation: number) =>
      memory.entry(router(uid, generation), '', () => {
        made.push(uid)
        return { entry: { path: `/${uid}/`, disabled: true }, values: new Map(), sources: [], problems: [] }
      })
    for (const generation of [1, 2]) {
      memory.recognize(new Map())
      build('a', generation)
      build('b', 1)
      memory.settle()
    }
    assert.deepEqual(made, ['a', 'b', 'a'])
  })
})

test('an entry that works is not made again where more keys of its Secret are read', () => {
  const memory = new EntryMemory()
  const made: string[] = []
  const path = { path: '/a/' }
  const works = { ...path, ingress: { headers: {} }, outbound: { url: 'u', endpoint: '', headers: {} } }
  for (const source of [secret('first'), secret('first', { b: 'x' }), secret('first', { b: 'x' }), secret('second')]) {
    memory.recognize(new Map([['k', source]]))
    for (const [uid, entry] of Object.entries({ works, waits: { ...path, disabled: true } as const })) {
      memory.entry(router(uid, 1), '', () => {
        made.push(uid)
        return { entry, values: new Map(), sources: ['k'], problems: [] }
      })
    }
    memory.settle()
  }
  assert.deepEqual(made, ['works', 'waits', 'waits', 'works', 'waits'])
})

function accepted(one: Router): Router {
  const verdict = { type: 'Accepted', status: 'True', reason: 'Accepted', message: '' } as const
  return { ...one, status: { conditions: [{ ...verdict, lastTransitionTime: '2026-11-21T01:00:00Z' }] } }
}

/** Returns the configuration that an operator wrote at the start. */
function live(): Pick<Snapshot, 'liveRouters' | 'liveValues'> {
  const { glConfig, values } = translate(start)
  const routers: readonly RouterEntry[] = JSON.parse(glConfig).routers
  return { liveRouters: new Map(routers.map((one) => [one.path, one])), liveValues: values }
}

function withSpec(spec: object): Snapshot['gateway'] {
  const { metadata, spec: before } = gateway(2, 'one')
  return llmGatewaySchema.parse({ metadata, spec: { ...before, ...spec } })
}

function withoutRoom(from: Router): Router {
  return { ...from, spec: { ...from.spec, outbound: { ...from.spec.outbound, headers: NO_ROOM } } }
}

function newUid(): Pick<Router, 'metadata'> {
  const { metadata } = router('a', 1)
  return { metadata: { ...metadata, uid: 'new' } }
}
