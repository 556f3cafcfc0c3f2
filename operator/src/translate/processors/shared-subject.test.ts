import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveCallPoint, Snapshot } from '../../model/snapshot.ts'
import { processorOf, routerOf, snapshotOf } from '../golden-input-under-test.ts'
import { translate } from '../translate.ts'

// Rules: docs/reference/kubernetes.md#processors

const routers = [
  routerOf({ metadata: { name: 'r' }, spec: { path: '/r/', outbound: { url: 'https://res.example/' } } }),
]
const gatewayRef = { name: 'main' }
const call = { timeout: 1_000, modifier: false, async: false, input_fields_include: [], input_fields_exclude: [] }

function point(subject: string, required: boolean): LiveCallPoint {
  const own = { name: 'p', service_bus_topic: subject, output_fields_write: ['control'], routers: ['/r/'] }
  return { phase: 'request', row: 0, entry: { ...call, ...own, required, reroute_to: [] } }
}

/** Returns the subjects of the request rows after so many passes, each of which finds the file of the pass before. */
function passes(count: number, processors: Snapshot['processors'], first: readonly LiveCallPoint[]) {
  let liveCallPoints = first
  for (let pass = 0; pass < count; pass += 1) {
    const { glConfig } = translate({ ...snapshotOf({}), routers, processors, liveCallPoints })
    const rows: LiveCallPoint['entry'][][] = JSON.parse(glConfig).request.processors
    liveCallPoints = rows.flatMap((row, index) =>
      row.map((entry) => ({ phase: 'request', row: index, entry }) as const),
    )
  }
  return liveCallPoints.map(({ entry }) => entry.service_bus_topic)
}

/** A Broker that is refused, since it names Routers. */
const broker = (name: string, second: number) =>
  processorOf({
    metadata: { name, creationTimestamp: `2026-11-21T01:00:0${second}Z` },
    spec: { gatewayRef, type: 'Broker', routers: ['/r/'], broker: { pools: [{ path: '/pool/', members: ['/r/'] }] } },
  })
/** A Processor of a type that this operator doesn't know. */
const newer = (name: string, second: number) =>
  processorOf({
    metadata: { name, creationTimestamp: `2026-11-21T01:00:0${second}Z` },
    neverRead: true,
    spec: { gatewayRef, type: 'Newer' },
    status: { subject: 'llm.gl.newer' },
  })
const ofTheSubject = (name: string) =>
  processorOf({
    metadata: { name },
    spec: { gatewayRef, type: 'Custom', custom: { image: 'i' }, request: { outputFields: ['control'] } },
  })

test('of two refused Processors of one type only the older keeps the call points in use', () => {
  const processors = [broker('a', 0), broker('b', 1)]
  assert.deepEqual(passes(3, processors, [point('llm.gl.broker', true)]), ['llm.gl.broker'])
})

test('of two refused Processors the one that was in use keeps the call points', () => {
  const deployment = { available: true, stuck: false, replicas: 1, readyReplicas: 1, updatedReplicas: 1 }
  const { entries } = translate({
    ...snapshotOf({}),
    routers,
    processors: [broker('a', 0), broker('b', 1)],
    processorDeployments: new Map([['b', deployment]]),
    liveCallPoints: [point('llm.gl.broker', true)],
  })
  assert.deepEqual([entries.has('Processor a'), entries.has('Processor b')], [false, true])
})

test('of two Processors of an unknown type with one subject only the older keeps the call points in use', () => {
  assert.deepEqual(passes(3, [newer('a', 0), newer('b', 1)], [point('llm.gl.newer', false)]), ['llm.gl.newer'])
})

test('a Processor that can not be read keeps no call points under the subject of one that can', () => {
  const custom = { ...newer('a', 0), status: { subject: 'llm.gl.custom.b' } }
  const processors = [custom, ofTheSubject('b')]
  assert.deepEqual(passes(3, processors, [point('llm.gl.custom.b', false)]), ['llm.gl.custom.b'])
})

test('call points that the file has several times are kept once', () => {
  const twice = [point('llm.gl.broker', true), point('llm.gl.broker', true)]
  assert.deepEqual(passes(1, [broker('a', 0)], twice), ['llm.gl.broker'])
})
