import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLogger } from '@llm-gateway/conf'
import { isObject, type KubeClient, keyOf, type ObjectReference } from '@llm-gateway/kube'
import { emptyClusterState } from '../kube/cluster-state-under-test.ts'
import { observationOf, routerOf, snapshotOf } from '../translate/golden-input-under-test.ts'
import { translate } from '../translate/translate.ts'
import { createStatusWriter } from './write-statuses.ts'

// Rules: docs/reference/kubernetes.md#conditions

const CURRENT = new AbortController().signal

/**
 * Makes a writer to an API server that takes or refuses each status in a turn of the event loop, and `msEach` for it.
 */
function scene(msEach = 0, refuses: (name: string) => boolean = () => false) {
  const state = emptyClusterState('llm/main')
  const written: string[] = []
  let [now, version] = [0, 100]
  const stored = ({ kind, namespace, name }: ObjectReference): object => {
    const key = keyOf({ namespace, name })
    return (kind === 'Router' ? state.routers.get(key) : state.gateways.get(key)) ?? {}
  }
  const never = () => assert.fail('a status is merged')
  const merge: KubeClient['merge'] = async (place, patch) => {
    await nextTurn()
    now += msEach
    version += 1
    if (refuses(place.name)) return { kind: 'refused', status: 403, code: 'Forbidden' }
    written.push(keyOf({ namespace: place.namespace, name: place.name }))
    const status = isObject(patch) ? patch.status : undefined
    const { metadata } = snapshotOf({}).gateway
    const { namespace, name } = place
    const uid = isObject(patch) && isObject(patch.metadata) ? patch.metadata.uid : undefined
    const next = { ...metadata, namespace, name, uid, resourceVersion: String(version) }
    return { kind: 'written', object: { ...stored(place), metadata: next, status } }
  }
  const statuses = createStatusWriter({
    client: { merge, get: never, apply: never, create: never, remove: never },
    state,
    events: { report: () => undefined },
    logger: createLogger({ service: 'test', write: () => undefined }),
    clock: () => now,
  })
  /** Judges a gateway with so many Routers of each namespace, and gives them to the caches. */
  const judge = (gateway: string, counts: Readonly<Record<string, number>>) => {
    const routers = Object.entries(counts).flatMap(([namespace, count]) =>
      Array.from({ length: count }, (_, index) => {
        const metadata = { name: `${gateway}-${index}`, namespace }
        const spec = { path: `/${gateway}/${namespace}/${index}/`, outbound: { url: 'https://res.example/' } }
        return routerOf({ metadata, spec })
      }),
    )
    const allowedRouters = { namespaces: { from: 'All' }, paths: 'Any' }
    const snapshot = { ...snapshotOf({ gateway: { metadata: { name: gateway }, spec: { allowedRouters } } }), routers }
    state.gateways.put(snapshot.gateway)
    for (const router of routers) state.routers.put(router)
    const translation = translate(snapshot)
    return { gateway: snapshot.gateway, judged: translation.statuses(observationOf({}, translation)) }
  }
  /** Returns the statuses with the objects as the caches have them now. */
  const again = ({ gateway, judged }: ReturnType<typeof judge>): ReturnType<typeof judge> => {
    const routers = judged.routers.map(({ router, status }) => ({
      router: state.routers.get(keyOf(router.metadata)) ?? router,
      status,
    }))
    return { gateway: state.gateways.get(keyOf(gateway.metadata)) ?? gateway, judged: { ...judged, routers } }
  }
  const write = ({ gateway, judged }: ReturnType<typeof judge>) => statuses.write(gateway, judged, CURRENT)
  const pass = (ms: number): void => {
    now += ms
  }
  return { statuses, written, judge, again, write, pass }
}

test('the statuses of a gateway do not wait behind thousands of another gateway', async () => {
  const { judge, write, written } = scene()
  const large = write(judge('large', { team: 300 }))
  const small = judge('small', { other: 3 })
  await nextTurn()
  await write(small)
  const before = written.filter((name) => name.startsWith('team/')).length
  assert.ok(before < 150, `${before}`)
  await large
  assert.equal(written.length, 305)
})

test('in a gateway the namespaces take turns', async () => {
  const { judge, write, written } = scene()
  await write(judge('main', { first: 200, second: 2 }))
  const last = Math.max(...written.flatMap((name, index) => (name.startsWith('second/') ? [index] : [])))
  assert.ok(last < 20, `${last}`)
})

test('a pass ends its statuses after some seconds, writes that of its gateway, and goes on when it comes back', async () => {
  const { judge, write, again, written } = scene(500)
  const many = judge('main', { team: 100 })
  assert.equal(await write(many), 0)
  const first = written.length
  assert.ok(first < 60, `${first}`)
  assert.equal(written.at(-1), 'llm/main')
  let passes = 1
  for (let againMs: number | undefined = 0; againMs === 0; passes += 1) againMs = await write(again(many))
  assert.equal(new Set(written).size, 101)
  assert.equal(written.length, 101, 'no status is written twice')
  assert.ok(passes > 2, `${passes}`)
})

test('statuses that the API server refuses again and again hold back no others, and are tried ever more rarely', async () => {
  const isRefused = (name: string) => name.startsWith('main-') && Number(name.slice('main-'.length)) < 150
  const { judge, write, again, written } = scene(500, isRefused)
  const many = judge('main', { team: 200 })
  let passes = 0
  let againMs: number | undefined = 0
  while (againMs === 0 && passes < 50) {
    againMs = await write(again(many))
    passes += 1
  }
  assert.ok(againMs !== undefined && againMs > 0, `${againMs} after ${passes} passes`)
  assert.equal(new Set(written).size, 51)
  assert.ok(((await write(again(many))) ?? 0) > 0, 'the others are refused, too')
})

test('the statuses of Routers without a gateway soon make room for those of gateways', async () => {
  const { judge, statuses, written } = scene(500)
  const { judged } = judge('absent', { team: 100 })
  assert.equal(await statuses.writeOrphans('llm/absent', { routers: judged.routers, processors: [] }), 0)
  assert.ok(written.length < 20, `${written.length}`)
})

test('a superseded pass writes statuses even where their comparison took long', async () => {
  const { judge, statuses, written, pass } = scene()
  const { gateway, judged } = judge('main', { team: 3 })
  const routers = judged.routers.map((one) => ({
    ...one,
    get status() {
      pass(1_000)
      return one.status
    },
  }))
  await statuses.write(gateway, { ...judged, routers }, AbortSignal.abort())
  assert.equal(written.length, 4)
})
