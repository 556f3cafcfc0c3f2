import assert from 'node:assert/strict'
import { test } from 'node:test'
import { llmGatewaySchema, processorSchema, type Router, routerSchema } from '@llm-gateway/crds'
import { allAtOnce } from '../translate/steps.ts'
import { MOST_KEYS, wantedSources } from './wanted-sources.ts'

// Rules: docs/reference/kubernetes.md#variables

const spec = { tls: { ingress: { secretRef: { name: 'own' } } }, env: [{ name: 'A', ...secret('own', 'a') }] }
const gateway = llmGatewaySchema.parse({ metadata: { name: 'main', namespace: 'llm', uid: 'u' }, spec })

test('each source has the keys that are named, with the most characters that one of their users takes', () => {
  const processor = processorSchema.parse({
    metadata: { name: 'p', namespace: 'llm', uid: 'p' },
    spec: { gatewayRef: { name: 'main' }, type: 'Tokenizer', env: [{ name: 'A', ...secret('p', 'a') }] },
  })
  const wanted = allAtOnce(
    wantedSources({
      gateway,
      routers: [routerOf('llm', [secret('own', 'b')]), routerOf('llm', [secret('p', 'b'), secret('r', 'a')])],
      processors: [processor],
      firstSeen: (object) => (object === processor ? 2 : 1),
    }),
  )
  const found = [...wanted].map(([key, { since, awaited, keys, own }]) => [
    key,
    since,
    awaited,
    Object.fromEntries(keys),
    [...own],
  ])
  assert.deepEqual(
    found.filter(([key]) => key !== 'llm/Secret/main-bus'),
    [
      [
        'llm/Secret/own',
        1,
        true,
        { a: 16_384, 'tls.crt': 524_288, 'tls.key': 524_288, b: 16_384 },
        ['a', 'tls.crt', 'tls.key'],
      ],
      ['llm/Secret/p', 2, true, { a: 0, b: 16_384 }, []],
      ['llm/Secret/r', 1, false, { a: 16_384 }, []],
    ],
  )
})

test('the keys that the Routers of one namespace name have a bound, and other namespaces have theirs', () => {
  const crowd = Array.from({ length: MOST_KEYS / 64 + 8 }, (_, index) =>
    routerOf(
      'crowd',
      Array.from({ length: 64 }, (_, key) => secret(`s${index}-${key}`, 'k')),
    ),
  )
  const users = { gateway, routers: [...crowd, routerOf('team', [secret('own', 'a')])], processors: [] }
  const wanted = [...allAtOnce(wantedSources({ ...users, firstSeen: () => 1 })).values()]
  const namespaces = Map.groupBy(wanted, ({ place }) => place.namespace)
  assert.deepEqual([namespaces.get('crowd')?.length, namespaces.get('team')?.length], [MOST_KEYS, 1])
})

function secret(name: string, key: string) {
  return { valueFrom: { secretKeyRef: { name, key } } }
}

function routerOf(namespace: string, sources: readonly object[]): Router {
  return routerSchema.parse({
    metadata: { name: 'a', namespace, uid: 'a' },
    spec: {
      gatewayRef: { name: 'main', namespace: 'llm' },
      path: `/${namespace}/`,
      outbound: { url: 'https://res.example/' },
      env: sources.map((source, index) => ({ name: `N${index}`, ...source })),
    },
  })
}
