import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_ANNOTATION, objectMetaSchema } from '@llm-gateway/crds'
import type { Pod } from '../kube/decode.ts'
import type { PodReport } from '../model/snapshot.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { GatewayDelivery } from './gateway-delivery.ts'
import { Nudge } from './nudge.ts'

// Rules: docs/reference/kubernetes.md#delivery

function pod(name: string): Pod {
  return {
    metadata: objectMetaSchema.parse({ name, namespace: 'llm', uid: name }),
    ready: true,
    running: true,
    address: '10.0.0.1',
  }
}

/** Makes pods that take the nudged configuration after `nudges` nudges. */
function scene(nudges: number) {
  const pods = [pod('a'), pod('b')]
  const annotations: string[] = []
  const digests = new Map(pods.map(({ metadata }) => [metadata.name, 'old']))
  const changes = { count: 0 }
  const delivery = new GatewayDelivery({
    pods: () => pods,
    ask: async ({ metadata }, { entries }): Promise<PodReport> => ({
      kind: 'reported',
      digest: digests.get(metadata.name) ?? '',
      valuesRevision: '1',
      busConnected: true,
      entries: entries ? new Map(Object.entries({ '/unknown/': 'x', '/a/': 'asked' })) : undefined,
    }),
    limit: createConcurrencyLimit(1),
    annotate: async (one, value) => {
      annotations.push(`${one.metadata.name} ${value}`)
      const before = annotations.filter((line) => line.startsWith(`${one.metadata.name} `)).length
      pods[pods.indexOf(one)] = { ...one, metadata: { ...one.metadata, annotations: { [CONFIG_ANNOTATION]: value } } }
      if (before >= nudges) digests.set(one.metadata.name, value.split('/')[0] ?? '')
    },
    changed: () => {
      changes.count += 1
    },
    gaveUp: () => undefined,
    failed: assert.ifError,
  })
  const target = { digest: 'new', valuesRevision: '1', entries: new Map([['/a/', 'hash']]) }
  return { delivery, annotations, target, changes, digests }
}
const PATIENCE_MS = 60_000
async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS} ms: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('pods that lag are nudged with the digest, and asked until they report it', async () => {
  const { delivery, annotations, target } = scene(1)
  const began = performance.now()
  delivery.aim(target)
  const isHeld = delivery.holdMs > 0
  // A pause of this test's process may last longer than the second.
  assert.ok(isHeld || performance.now() - began >= 1_000, 'no other write within the second')
  await until(() => delivery.settled)
  assert.equal(delivery.settled, true)
  assert.deepEqual(annotations.toSorted(), ['a new', 'b new'])
  const [first] = delivery.observed()
  assert.deepEqual(first?.report.kind === 'reported' && first.report.entries, target.entries)
  delivery.close()
})

test('a nudge that came too early is repeated with a number, since an unchanged annotation does not wake the kubelet', async () => {
  const { delivery, annotations, target } = scene(2)
  delivery.aim(target)
  await until(() => delivery.settled)
  assert.deepEqual(annotations.toSorted(), ['a new', 'a new/1', 'b new', 'b new/1'])
  delivery.close()
})

test('pods that report the digest are not nudged; of an unknown digest the operator keeps the entries of known paths', async () => {
  const { delivery, annotations, target, digests } = scene(1)
  for (const name of digests.keys()) digests.set(name, 'new')
  delivery.aim(target)
  await until(() => delivery.settled)
  assert.deepEqual(annotations, [])
  delivery.close()
  const other = scene(99)
  other.delivery.aim(other.target)
  await until(() => other.delivery.observed().every(({ report }) => report.kind === 'reported'))
  const [first] = other.delivery.observed()
  assert.deepEqual(first?.report.kind === 'reported' && first.report.entries, new Map([['/a/', 'asked']]))
  other.delivery.close()
})

test('a status is written when the last pod has answered, or after two seconds, also while edits go on', async () => {
  const { delivery, target, changes } = scene(1)
  delivery.aim(target)
  assert.ok(delivery.patienceMs > 0)
  await until(() => delivery.settled)
  assert.deepEqual([delivery.patienceMs, changes.count], [0, 1], 'one change, at the answer of the last pod')
  delivery.close()
  const slow = scene(99)
  slow.delivery.aim(slow.target)
  const first = slow.delivery.patienceMs
  for (let edit = 0; slow.delivery.patienceMs > 0; edit += 1) {
    slow.delivery.aim({ ...slow.target, digest: `edit ${edit}` })
    assert.ok(slow.delivery.patienceMs <= first)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.equal(slow.delivery.settled, false)
  slow.delivery.close()
})

test('a gateway with silent pods takes only its share of the concurrent requests, and other gateways go on', async () => {
  const limit = createConcurrencyLimit(6)
  const silence = Promise.withResolvers<PodReport>()
  let asked = 0
  const watch = (pods: readonly Pod[], ask: () => Promise<PodReport>) => {
    const annotate = async () => undefined
    const ignored = () => undefined
    const shared = { limit, annotate, changed: ignored, gaveUp: ignored, failed: assert.ifError }
    return new GatewayDelivery({ ...shared, pods: () => pods, ask })
  }
  const names = Array.from({ length: 30 }, (_, index) => `p${index}`)
  const silent = watch(names.map(pod), () => {
    asked += 1
    return silence.promise
  })
  const target = { digest: 'new', valuesRevision: '1', entries: new Map<string, string>() }
  const report = {
    kind: 'reported',
    digest: 'new',
    valuesRevision: '1',
    busConnected: true,
    entries: undefined,
  } as const
  const other = watch([pod('other')], async () => report)
  silent.aim(target)
  other.aim(target)
  await until(() => other.settled)
  assert.deepEqual([other.settled, silent.settled, asked], [true, false, 5])
  silent.close()
  other.close()
  silence.resolve({ kind: 'unreachable' })
})

test("a pod that doesn't react to nudges is reported once, and nudged until it reacts", async () => {
  const lagging = [pod('a')]
  let nudges = 0
  let givenUp = 0
  const nudge = new Nudge({
    lagging: () => lagging,
    annotate: async () => {
      nudges += 1
      if (nudges === 6) lagging.length = 0
    },
    gaveUp: () => {
      givenUp += 1
    },
    failed: assert.ifError,
    timings: { leastMs: 1, againMs: [2, 4], atRestMs: 5 },
  })
  nudge.start('new')
  await until(() => nudges === 6)
  assert.equal(givenUp, 1)
  nudge.close()
})

test('an unexpected failure of a question or a nudge is reported; the pod counts as unreachable and is asked again', async () => {
  const failures: unknown[] = []
  let asked = 0
  const bug = new RangeError('a bug')
  const delivery = new GatewayDelivery({
    pods: () => [pod('a')],
    ask: async (): Promise<PodReport> => {
      asked += 1
      if (asked === 1) throw bug
      return { kind: 'reported', digest: 'old', valuesRevision: '1', busConnected: true, entries: new Map() }
    },
    limit: createConcurrencyLimit(1),
    annotate: async () => {
      throw bug
    },
    changed: () => undefined,
    gaveUp: () => undefined,
    failed: (error) => failures.push(error),
  })
  delivery.aim({ digest: 'new', valuesRevision: '1', entries: new Map() })
  await until(() => failures.length === 1)
  assert.deepEqual(delivery.observed()[0]?.report, { kind: 'unreachable' })
  await until(() => failures.length === 2)
  assert.ok(asked >= 2)
  delivery.close()
})

test('a pod whose answer is too long is asked far less often than a pod that does not answer', async () => {
  const asked = { long: 0, silent: 0 }
  const delivery = new GatewayDelivery({
    pods: () => [pod('long'), pod('silent')],
    ask: async ({ metadata }): Promise<PodReport> => {
      const isLong = metadata.name === 'long'
      asked[isLong ? 'long' : 'silent'] += 1
      return isLong ? { kind: 'unreachable', tooLong: true } : { kind: 'unreachable' }
    },
    limit: createConcurrencyLimit(2),
    annotate: async () => undefined,
    changed: () => undefined,
    gaveUp: () => undefined,
    failed: assert.ifError,
  })
  delivery.aim({ digest: 'new', valuesRevision: '1', entries: new Map() })
  await until(() => asked.silent === 5)
  assert.equal(asked.long, 1)
  delivery.close()
})

test('a pod is asked for the entries of the largest configuration that its gateway has had, and a repeated answer is no news', async () => {
  const routers: (number | undefined)[] = []
  let changes = 0
  let asked = 0
  const delivery = new GatewayDelivery({
    pods: () => [pod('a')],
    ask: async (_, question): Promise<PodReport> => {
      asked += 1
      if (question.entries) routers.push(question.routers)
      const entries = question.entries ? new Map([['/asked/', 'x']]) : undefined
      return { kind: 'reported', digest: 'old', valuesRevision: '1', busConnected: true, entries }
    },
    limit: createConcurrencyLimit(1),
    annotate: async () => undefined,
    changed: () => {
      changes += 1
    },
    gaveUp: () => undefined,
    failed: assert.ifError,
  })
  const entries = new Map([
    ['/a/', 'hash'],
    ['/b/', 'hash'],
  ])
  delivery.aim({ digest: 'two', valuesRevision: '1', entries })
  delivery.aim({ digest: 'none', valuesRevision: '2', entries: new Map() })
  await until(() => delivery.patienceMs === 0)
  const before = changes
  const last = asked
  await until(() => asked > last + 1)
  assert.deepEqual(routers, [2], 'the entries of a known digest are kept')
  assert.equal(changes, before)
  delivery.close()
})
