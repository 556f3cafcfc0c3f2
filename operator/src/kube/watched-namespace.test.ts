import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { objectMetaSchema } from '@llm-gateway/crds'
import { createTransport, Store, type Stored } from '@llm-gateway/kube'
import { type Act, answer, startScriptedServer, watch } from '@llm-gateway/kube/scripted-server-under-test'
import { type ClusterState, type WatchTimings, watchCluster } from './cluster-state.ts'
import { WatchedNamespace } from './watched-namespace.ts'

// Rules: docs/reference/kubernetes.md#trust

const TIMINGS: WatchTimings = {
  firstBackoffMs: 20,
  mostBackoffMs: 100,
  watchSeconds: [300, 600],
  stallMs: 60_000,
  workedMs: 2_000,
  forbiddenMs: 2_000,
}
const LIMIT = { timeout: 120_000 }
/** Longer than any test, so rights that come at any time come before. */
const NEVER_MS = 3_600_000
const STAY = watch([], 'stay')
const FORBIDDEN = answer(403, { code: 403, reason: 'Forbidden' })

type Scene = {
  readonly state: ClusterState
  /** Refused parts of paths: `team-b/routers`. */
  readonly forbidden: Set<string>
  /** Entries of WARN and above: message, namespace and kinds. */
  warnings(): readonly string[]
  /** Routers and Secrets in the stores: `Router team-b/a`. */
  stored(): readonly string[]
  /** The number of refused calls. */
  refusals(): number
  /** Ends every watch, as the API server does from time to time. */
  cut(): void
  until(what: string, condition: () => boolean): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a watch of namespaces in which each collection holds one object, `a`, but that of Processors none. */
async function scene(
  watchNamespaces: readonly string[],
  refused: readonly string[] = [],
  timings: WatchTimings = TIMINGS,
): Promise<Scene> {
  const forbidden = new Set(refused)
  const watches: ServerResponse[] = []
  let refusals = 0
  const act: Act = (response, request) => {
    const url = request.url ?? ''
    const path = url.split('?')[0] ?? ''
    if ([...forbidden].some((part) => `${path}/`.includes(`/${part}/`))) {
      refusals += 1
      return FORBIDDEN(response, request)
    }
    if (url.includes('watch=1')) {
      watches.push(response)
      return STAY(response, request)
    }
    const [, namespace = '', collection] = path.match(/\/namespaces\/([^/]+)(\/.*)?$/) ?? []
    if (collection === undefined) return answer(200, object(namespace, ''))(response, request)
    const items = collection === '/processors' ? [] : [object('a', namespace)]
    answer(200, { items, metadata: { resourceVersion: '5' } })(response, request)
  }
  const server = await startScriptedServer([act])
  const transport = createTransport({ access: server.access })
  const lines: string[] = []
  const logger = createLogger({ service: 'test', write: (line) => lines.push(line) })
  const state = watchCluster({ transport, logger, gatewayClass: 'llm-gateway', watchNamespaces, timings })
  return {
    state,
    forbidden,
    warnings: () =>
      lines
        .filter((line) => /"level":"?(WARN|warn|40)/.test(line))
        .map((line) => {
          const { msg, message = msg, namespace, kinds } = JSON.parse(line)
          return `${message} ${namespace} ${kinds}`
        }),
    stored: () => {
      const names = (kind: string, store: Store<Stored> | undefined) =>
        [...(store?.objects.keys() ?? [])].map((key) => `${kind} ${key}`)
      const routers = [...state.routers.objects.keys()].map((key) => `Router ${key}`)
      return [...routers, ...names('Secret', state.metadata.get('Secret'))].toSorted()
    },
    refusals: () => refusals,
    cut: () => {
      for (const response of watches.splice(0)) response.end()
    },
    until: server.until,
    [Symbol.asyncDispose]: async () => {
      await state.close()
      await transport.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

function object(name: string, namespace: string): object {
  const spec = { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url: 'https://a.example/' } }
  return { metadata: { name, namespace, uid: `${namespace}-${name}`, generation: 1, resourceVersion: '5' }, spec }
}

const LLM = ['Router llm/a', 'Secret llm/a']
const TEAM_B = ['Router team-b/a', 'Secret team-b/a']

test(
  'a forbidden namespace counts as empty after a while, is logged once, and is read once it may be',
  LIMIT,
  async () => {
    const began = performance.now()
    await using one = await scene(['llm', 'team-b'], ['team-b'])
    await one.until('the other namespace', () => one.stored().length === 2)
    const isSynced = one.state.isSynced
    const isOver = performance.now() - began >= TIMINGS.forbiddenMs
    assert.ok(!isSynced || isOver, 'its rights may be on their way')
    await one.until('every other cache', () => one.state.isSynced)
    assert.ok(performance.now() - began >= TIMINGS.forbiddenMs)
    assert.deepEqual(one.stored(), LLM)
    assert.deepEqual(
      [...one.state.forbidden],
      [
        ['llm', false],
        ['team-b', true],
      ],
    )
    assert.deepEqual([...one.state.namespaces.objects.keys()], ['/llm'])
    const seen: (readonly string[])[] = []
    one.state.routers.onChange(() => queueMicrotask(() => seen.push(one.stored())))
    one.forbidden.clear()
    await one.until('the namespace', () => one.stored().length === 4)
    assert.deepEqual(one.stored(), [...LLM, ...TEAM_B].toSorted())
    assert.deepEqual([...one.state.namespaces.objects.keys()].toSorted(), ['/llm', '/team-b'])
    assert.deepEqual(seen, [one.stored()], 'all objects of the namespace appear at one moment')
    assert.equal(one.state.forbidden.get('team-b'), false)
    const [warning = '', ...more] = one.warnings()
    assert.match(warning, /^namespace is forbidden: it counts as empty until it may be read team-b .*Router/)
    assert.deepEqual(more, [])
  },
)

test(
  'a namespace with one forbidden kind counts as empty as a whole: half of it would lead to wrong decisions',
  LIMIT,
  async () => {
    await using one = await scene(['llm', 'team-b'], ['team-b/routers'])
    await one.until('every other cache', () => one.state.isSynced)
    assert.deepEqual(one.stored(), LLM)
    assert.deepEqual([...one.state.gateways.objects.keys()], ['llm/a'])
    assert.deepEqual(one.warnings(), ['namespace is forbidden: it counts as empty until it may be read team-b Router'])
  },
)

test('the operator waits for rights that come within the time', LIMIT, async () => {
  await using one = await scene(['llm', 'team-b'], ['team-b'], { ...TIMINGS, forbiddenMs: NEVER_MS })
  await one.until('the other namespace', () => one.stored().length === 2)
  one.forbidden.clear()
  await one.until('every other cache', () => one.state.isSynced)
  assert.deepEqual(one.stored(), [...LLM, ...TEAM_B].toSorted())
  assert.deepEqual(one.warnings(), [])
})

test('a namespace that becomes forbidden keeps its last known state, and is logged once', LIMIT, async () => {
  await using one = await scene(['llm', 'team-b'])
  await one.until('every other cache', () => one.state.isSynced)
  one.forbidden.add('team-b')
  one.cut()
  await one.until('a warning', () => one.state.forbidden.get('team-b') === true)
  const calls = one.refusals()
  await one.until('more refusals', () => one.refusals() >= calls + 50)
  assert.deepEqual(one.stored(), [...LLM, ...TEAM_B].toSorted())
  const logged = one.warnings().filter((line) => !line.startsWith('watch of the API server failed'))
  assert.equal(logged.length, 1)
  assert.match(logged[0] ?? '', /^namespace became forbidden: its objects stay as they were last read team-b /)
  one.forbidden.clear()
  await one.until('the namespace may be read', () => one.state.forbidden.get('team-b') === false)
})

test('an operator that watches all namespaces waits after a 403: its installation is broken', LIMIT, async () => {
  await using one = await scene([], ['routers'])
  await one.until('refusals', () => one.warnings().length >= 8)
  assert.equal(one.state.isSynced, false)
  assert.deepEqual([...one.state.forbidden], [])
})

test('a namespace whose list is refused while other lists are awaited enters the stores after a new list', () => {
  let now = 0
  const logger = createLogger({ service: 'test', write: () => undefined })
  const namespace = new WatchedNamespace({ namespace: 'n', logger, forbiddenMs: 30_000, clock: () => now })
  const [routers, secrets] = [new Store<Stored>(), new Store<Stored>()]
  const [first, second] = [namespace.entranceTo(routers, 'Router'), namespace.entranceTo(secrets, 'Secret')]
  const at = (name: string, resourceVersion: string): Stored => ({
    metadata: objectMetaSchema.parse({ name, namespace: 'n', resourceVersion }),
  })
  first.store.replace([at('gone', '5')], '5', 'n')
  first.answered('listed')
  first.answered('forbidden')
  now = 60_000
  second.store.replace([at('s', '9')], '9', 'n')
  second.answered('listed')
  assert.deepEqual([routers.objects.size, secrets.objects.size], [0, 0])
  first.store.replace([at('new', '9')], '9', 'n')
  first.answered('listed')
  assert.deepEqual([...routers.objects.keys(), ...secrets.objects.keys()], ['n/new', 'n/s'])
})
