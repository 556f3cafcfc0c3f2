import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorOf, routerOf, snapshotOf } from '../golden-input-under-test.ts'
import { translate } from '../translate.ts'

// Rules: docs/reference/kubernetes.md#processors

const SUBJECT = 'llm.gl.custom.p'
const routers = ['/one/', '/two/'].map((path, index) =>
  routerOf({ metadata: { name: `r${index}` }, spec: { path, outbound: { url: 'https://res.example/' } } }),
)

/** A Processor that is refused: an async call can't be required. */
const refused = (named?: readonly string[]) =>
  processorOf({
    metadata: { name: 'p' },
    spec: {
      gatewayRef: { name: 'main' },
      type: 'Custom',
      custom: { image: 'registry.example/p:1' },
      ...(named === undefined ? {} : { routers: named }),
      request: { order: 1, outputFields: ['control'], async: true, required: true },
    },
  })

/** Returns the routers of the kept entry; the live file has it for the path /one/ by default. */
function keptRouters(
  processor: ReturnType<typeof refused>,
  required: boolean,
  live: readonly string[] = ['/one/'],
  all = routers,
): readonly string[] | undefined {
  const fields = { input_fields_include: [], input_fields_exclude: [], output_fields_write: ['control'] }
  const call = { timeout: 1_000, modifier: false, required, async: false }
  const entry = { name: 'p', service_bus_topic: SUBJECT, ...call, ...fields, routers: [...live], reroute_to: [] }
  const liveCallPoints = [{ phase: 'request', row: 0, entry }] as const
  const { glConfig } = translate({ ...snapshotOf({}), routers: all, processors: [processor], liveCallPoints })
  return JSON.parse(glConfig).request.processors[0]?.[0]?.routers
}

test('a Router that is made while a required Processor is refused gets its calls judged by it, too', () => {
  assert.deepEqual(keptRouters(refused(), true), ['/one/', '/two/'])
})

test('a refused Processor is kept only for the Routers that it had and those that it names now', () => {
  assert.deepEqual(keptRouters(refused(['/two/']), true), ['/one/', '/two/'])
  assert.deepEqual(keptRouters(refused(['/one/']), true), ['/one/'])
})

test('the paths of deleted Routers leave the list of a refused Processor, so that it does not grow for ever', () => {
  assert.deepEqual(keptRouters(refused(), true, ['/deleted/', '/one/']), ['/one/', '/two/'])
  assert.deepEqual(keptRouters(refused(['/two/']), true, ['/deleted/', '/one/']), ['/one/', '/two/'])
})

test('a Router that is refused for a while is judged by a refused Processor again, once it is accepted', () => {
  const stranger = routerOf({
    metadata: { name: 'stranger', namespace: 'other' },
    spec: { path: '/stranger/', outbound: { url: 'https://res.example/' } },
  })
  const live = ['/one/', '/stranger/']
  assert.deepEqual(keptRouters(refused(['/one/']), true, live, [...routers, stranger]), live)
})

test('a refused Processor that was not required leaves the file', () => {
  assert.equal(keptRouters(refused(), false), undefined)
})
