import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Condition, llmGatewaySchema, type RouterStatus, routerSchema } from '@llm-gateway/crds'
import type { Snapshot, Source } from '../../model/snapshot.ts'
import { NO_PODS } from '../observation-under-test.ts'
import { translate } from '../translate.ts'

// Rules: docs/reference/kubernetes.md#delivery

const MIB = 1024 * 1024
const key: Source = { kind: 'found', type: 'Opaque', values: new Map([['a', 'x'.repeat(MIB)]]) }
const FULL_VALUE = 'x'.repeat(4_096)
const REFERENCES = '${A}'.repeat(1_024)

function headers(text: string): object {
  const values = Array.from({ length: 8 }, () => text)
  return Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`X-${index}`, values]))
}

function snapshot(specs: readonly object[]): Snapshot {
  const metadata = { namespace: 'llm', generation: 1, creationTimestamp: '2026-11-21T01:00:00Z' }
  const small = { outbound: { url: 'https://res.example/' } }
  return {
    gateway: llmGatewaySchema.parse({ metadata: { ...metadata, name: 'main', uid: 'g' }, spec: {} }),
    otherGateways: [],
    routers: [...specs, small].map((spec, index) =>
      routerSchema.parse({
        metadata: { ...metadata, name: `r${index}`, uid: `r${index}` },
        spec: {
          gatewayRef: { name: 'main' },
          path: `/r${index}/`,
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'large', key: 'a' } } }],
          ...spec,
        },
      }),
    ),
    processors: [],
    processorDeployments: new Map(),
    liveCallPoints: [],
    namespaces: new Map(),
    sources: new Map([['llm/Secret/large', key]]),
    defaultImage: 'image',
    operatorNamespace: 'llm-gateway-system',
  }
}

const attacks: readonly (readonly [what: string, spec: object])[] = [
  ['as much text as a schema allows', { outbound: { url: 'https://res.example/', headers: headers(FULL_VALUE) } }],
  [
    'as many references as a schema allows',
    { outbound: { url: 'https://res.example/', headers: headers(REFERENCES) } },
  ],
  ['one large key', { outbound: { url: 'https://res.example/', headers: { 'X-A': ['${A}'] } } }],
  ['a large key a thousand times', { outbound: { url: 'https://res.example/', headers: { 'X-A': [REFERENCES] } } }],
  ['a large key in many addresses', { outbound: { url: 'https://${A}${A}/${A}' } }],
]

describe("a Router that is too large doesn't slow down the translation", () => {
  for (const [what, spec] of attacks) {
    test(`${what}, in fifty Routers`, () => {
      const { glConfig, values, statuses } = translate(snapshot(Array.from({ length: 50 }, () => spec)))
      assert.ok(glConfig.length < 10_000)
      assert.equal(values.size, 0)
      const reasons = statuses(NO_PODS).routers.map(({ status }) => programmed(status)?.reason)
      assert.deepEqual(reasons.sort(), [...Array.from({ length: 50 }, () => 'CapacityExceeded'), 'NoReadyPods'])
    })
  }
})

describe('the references of a Router are bounded', () => {
  const referring = (count: number) => ({
    outbound: { url: 'https://res.example/', headers: { 'X-A': ['${B}'.repeat(count - 1)], 'X-B': ['${B}'] } },
    env: [{ name: 'B', value: 'b' }],
  })
  const judged = (count: number) => {
    const { glConfig, statuses } = translate(snapshot([referring(count)]))
    const status = statuses(NO_PODS).routers[0]?.status
    return { router: JSON.parse(glConfig).routers[0], status }
  }

  test('256 references are resolved', () => {
    const { router, status } = judged(256)
    assert.equal(router.outbound.headers['X-A'][0], 'b'.repeat(255))
    assert.equal(status && programmed(status)?.reason, 'NoReadyPods')
  })

  test('a Router with 257 keeps its path, and its status names the limit', () => {
    const { router, status } = judged(257)
    assert.deepEqual(router, { path: '/r0/', disabled: true })
    const { reason, message } = (status && programmed(status)) ?? {}
    assert.deepEqual([reason, message], ['CapacityExceeded', 'This Router has more than 256 references to variables.'])
  })
})

function programmed({ conditions }: RouterStatus): Condition | undefined {
  return conditions?.find(({ type }) => type === 'Programmed')
}
