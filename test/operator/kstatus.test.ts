import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { whyNoApiServer } from '../fake/api-server.ts'
import { type KStatus, kstatusOf } from '../fake/kstatus.ts'
import type { ObjectReference, StoredObject } from './admin.ts'
import { describeOperator, type FaultScene, type ProxiedOperator, startFaultScene } from './fault-scene.ts'
import { gatewayOf, namespaceOf, processorOf, routerOf } from './mixed-set.ts'
import { until } from './wait.ts'

// Rules: docs/reference/kubernetes.md#conditions

const CLASS = 'kstatus'
const NS = 'kstatus-llm'
const GATEWAY = { kind: 'LLMGateway', namespace: NS, name: 'main' }
const ROUTER = { kind: 'Router', namespace: NS, name: 'a' }
const PROCESSOR = { kind: 'Processor', namespace: NS, name: 'count' }
const ALL = [GATEWAY, ROUTER, PROCESSOR]
/** Longer than the two seconds that a status waits for pods. */
const LOOK_MS = 3_000

describe('the view of tools that wait for edits, on a real API server', {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: FaultScene
  let operator: ProxiedOperator
  before(async () => {
    scene = await startFaultScene()
  })
  after(() => scene?.close())

  const stateOf = async (place: ObjectReference): Promise<KStatus> => kstatusOf(await read(place))
  const read = async (place: ObjectReference): Promise<StoredObject> => {
    const thing = await scene.admin.get(place)
    if (thing === undefined) throw new Error(`no ${place.kind} ${place.name}`)
    return thing
  }
  const states = (): Promise<readonly KStatus[]> => Promise.all(ALL.map(stateOf))
  /** Waits with the command that people and pipelines use. */
  const kubectlWaitEnds = async ({ kind, name }: ObjectReference, timeout: string): Promise<boolean> => {
    const args = ['-n', NS, 'wait', '--for=condition=Ready', `${kind.toLowerCase()}/${name}`, `--timeout=${timeout}`]
    const { code, stderr } = await scene.server.kubectl(args)
    assert.ok(code === 0 || stderr.includes('timed out'), stderr)
    return code === 0
  }
  const untilAllAre = async (expected: KStatus): Promise<void> => {
    await until(
      `all resources are ${expected}`,
      async () => (await states()).every((state) => state === expected) || undefined,
    ).catch(async (cause) => {
      const seen = await Promise.all(ALL.map(async (place) => JSON.stringify((await read(place)).status)))
      throw new Error([describeOperator(operator), ...seen].join('\n'), { cause })
    })
  }

  test('a resource that no operator has looked at is in progress, not finished', async () => {
    await scene.admin.apply(
      namespaceOf(NS),
      gatewayOf(NS, CLASS),
      routerOf({ namespace: NS, name: 'a' }),
      processorOf(NS, 'count', { type: 'CharacterCount' }),
    )
    assert.deepEqual(await states(), ['InProgress', 'InProgress', 'InProgress'])
    assert.equal(await kubectlWaitEnds(ROUTER, '1s'), false)
  })

  test('once the pods have a resource, the resource is Current, and kubectl wait ends', async () => {
    operator = await scene.startOperator(CLASS)
    for (const place of ALL) assert.ok(await kubectlWaitEnds(place, '60s'), place.kind)
    await untilAllAre('Current')
  })

  for (const [what, place, patch] of [
    ['a Router', ROUTER, { spec: { outbound: { url: 'https://other.example/' } } }],
    ['a setting of the gateway', GATEWAY, { spec: { session: { header: 'X-Session' } } }],
    ['the call point of a Processor', PROCESSOR, { spec: { request: { timeoutMs: 77 } } }],
  ] as const) {
    test(`an edit of ${what} is in progress while pods do not have it`, async () => {
      const thaw = scene.freezePods()
      try {
        await scene.admin.merge(place, patch)
        const end = performance.now() + LOOK_MS
        while (performance.now() < end) {
          assert.equal(await stateOf(place), 'InProgress', JSON.stringify((await read(place)).status))
          await pause(50)
        }
        assert.equal(await kubectlWaitEnds(place, '1s'), false)
      } finally {
        thaw()
      }
      assert.ok(await kubectlWaitEnds(place, '60s'))
      await untilAllAre('Current')
    })
  }

  test('a new image is in progress until the last pod runs it', async () => {
    await scene.admin.merge(GATEWAY, { spec: { image: 'llm-gateway:broken' } })
    const end = performance.now() + LOOK_MS
    while (performance.now() < end) {
      assert.equal(await stateOf(GATEWAY), 'InProgress', JSON.stringify((await read(GATEWAY)).status))
      await pause(50)
    }
    assert.equal(await stateOf(ROUTER), 'Current', 'running pods still serve the Routers')
    await scene.admin.merge(GATEWAY, { spec: { image: 'llm-gateway:other' } })
    await untilAllAre('Current')
  })

  test("a resource that can't work is in progress with its cause, and is Current once it is mended", async () => {
    await scene.admin.merge(ROUTER, { spec: { outbound: { url: '${NOWHERE}' } } })
    const withCause = await until('the status has the cause', async () => {
      const { status } = await read(ROUTER)
      const text = JSON.stringify(status)
      return text.includes('VariableNotFound') ? text : undefined
    })
    assert.match(withCause, /"observedGeneration":3,/)
    assert.match(withCause, /"reason":"VariableNotFound","status":"False","type":"Ready"/)
    assert.equal(await stateOf(ROUTER), 'InProgress')
    await scene.admin.merge(ROUTER, { spec: { outbound: { url: 'https://mended.example/' } } })
    await untilAllAre('Current')
  })

  test('at rest nothing is written', async () => {
    await pause(LOOK_MS)
    const before = await Promise.all(ALL.map(async (place) => (await read(place)).metadata.resourceVersion))
    await pause(LOOK_MS)
    const later = await Promise.all(ALL.map(async (place) => (await read(place)).metadata.resourceVersion))
    assert.deepEqual(later, before)
  })
})
