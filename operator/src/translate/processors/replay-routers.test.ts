import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { processorOf, routerOf, snapshotOf } from '../golden-input-under-test.ts'
import { translate } from '../translate.ts'

// Rules: docs/reference/kubernetes.md#delivery

const SECOND = Date.parse('2026-11-21T01:00:00Z')
const digest = (seed: string) => createHash('sha256').update(seed).digest('hex')
/** Returns text that packing hardly shortens. */
const noise = (seed: string) => Array.from({ length: 60 }, (_, at) => digest(`${seed} ${at}`)).join('')

function routersOf(namespace: string, count: number, firstSecond: number) {
  return Array.from({ length: count }, (_, index) => {
    const creationTimestamp = new Date(SECOND + (firstSecond + index) * 1_000).toISOString()
    const asked = ['a', 'b'].map((half) => noise(`${namespace} ${index} ${half}`))
    return routerOf({
      metadata: { name: `r${index}`, namespace, creationTimestamp },
      spec: {
        path: `/${namespace}/r${index}/`,
        ingress: { headers: { 'X-Wide': asked } },
        outbound: { url: 'https://res.example/' },
      },
    })
  })
}

test('replays count in the share of their Router’s namespace, so they keep out no older Router of another namespace', () => {
  const [older, replayed] = [routersOf('older', 40, 0), routersOf('replayed', 220, 100)]
  const mock = processorOf({
    metadata: { name: 'mock' },
    spec: { gatewayRef: { name: 'main' }, type: 'Mock', routers: replayed.map(({ spec }) => spec.path) },
  })
  const snapshot = snapshotOf({
    gateway: { spec: { allowedRouters: { namespaces: { from: 'All' } } } },
    namespaces: { older: {}, replayed: {} },
    processorDeployments: {
      mock: { available: true, stuck: false, replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
    },
  })
  const { glConfig } = translate({ ...snapshot, routers: [...older, ...replayed], processors: [mock] })
  const left: readonly string[] = JSON.parse(glConfig).routers.flatMap(({ path = '', disabled = false }) =>
    disabled ? [path] : [],
  )
  assert.deepEqual(
    left.filter((path) => path.startsWith('/older/')),
    [],
  )
  // A Router finds room before its replay does, so that no file replays a Router that doesn't work.
  const originals = left.filter((path) => path.startsWith('/replayed/'))
  assert.ok(originals.length > 0)
  assert.ok(originals.every((path) => left.includes(`/mock${path}`)))
})
