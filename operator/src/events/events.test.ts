import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import {
  createKubeClient,
  createTransport,
  isObject,
  type KubeClient,
  loadKubeAccess,
  numberAt,
  TransportError,
  textAt,
  type WriteOutcome,
} from '@llm-gateway/kube'
import { startApiServer, whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { FIELD_MANAGER } from '../model/names.ts'
import { createEvents } from './events.ts'

// Rules: docs/reference/kubernetes.md#events

const logger = createLogger({ service: 'test', write: () => undefined })
const subject = { apiVersion: 'llmgateway.io/v1alpha1', kind: 'Router', namespace: 'n', name: 'r', uid: 'u' }

function scene() {
  const writes: { readonly verb: string; readonly name: string; readonly object: unknown }[] = []
  let now = 0
  const write = (verb: string): KubeClient['create'] => {
    return async ({ name }, object): Promise<WriteOutcome> => {
      writes.push({ verb, name, object })
      return { kind: 'written', object }
    }
  }
  const client = { create: write('create'), merge: write('merge') }
  const events = createEvents({ client, instance: 'pod-a', logger, clock: () => now })
  const report = (note = 'a', name = 'r', namespace = 'n') =>
    events.report({ ...subject, name, namespace }, 'Warning', 'PathConflict', note)
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    writes,
    report,
    settled,
    events,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a repetition within six minutes raises the count of its event; later it is a new event', async () => {
  const { writes, report, settled, pass } = scene()
  for (let count = 0; count < 5; count += 1) report()
  pass(30_000)
  report()
  report()
  await settled()
  assert.deepEqual(
    writes.map(({ verb, object }) => [verb, numberAt(object, 'series', 'count')]),
    [
      ['create', undefined],
      ['merge', 6],
    ],
  )
  assert.equal(writes[1]?.name, writes[0]?.name)
  pass(360_000)
  report()
  report('another note')
  await settled()
  assert.deepEqual(writes.map(({ verb }) => verb).slice(2), ['create', 'create'])
})

test('a namespace that is noisy takes no event from another', async () => {
  const { writes, report, settled } = scene()
  for (let count = 0; count < 1_000; count += 1) report(`${count}`, 'noisy', 'noisy')
  await settled()
  for (let count = 0; count < 3; count += 1) report(`${count}`, 'quiet', 'quiet')
  await settled()
  const countOf = (name: string) => writes.filter((write) => write.name.startsWith(`${name}.`)).length
  assert.deepEqual([countOf('noisy'), countOf('quiet')], [50, 3])
})

test('a burst of events is cut; afterwards one event a second passes', async () => {
  const { writes, report, settled, pass } = scene()
  for (let count = 0; count < 5_000; count += 1) report('a', `r${count}`)
  await settled()
  assert.equal(writes.length, 50)
  pass(3_000)
  for (let count = 0; count < 10; count += 1) report('a', `later${count}`)
  await settled()
  assert.equal(writes.length, 53)
})

test('an event names its object and the operator, and is no longer than the API server allows', async () => {
  const { writes, report, settled } = scene()
  report('é'.repeat(2_000), `r${'x'.repeat(240)}`)
  await settled()
  const object = writes[0]?.object
  assert.ok(isObject(object))
  assert.ok(Buffer.byteLength(textAt(object, 'note') ?? '') <= 1_024)
  assert.ok((textAt(object, 'metadata', 'name') ?? '').length <= 253)
  assert.equal(textAt(object, 'regarding', 'uid'), 'u')
  assert.equal(textAt(object, 'reportingInstance'), 'pod-a')
})

test('an unreachable API server loses an event and nothing else; waiting events are dropped at close', async () => {
  let tries = 0
  const client = {
    create: async () => {
      tries += 1
      throw new TransportError('ECONNREFUSED', undefined)
    },
    merge: async () => assert.fail('nothing was written'),
  }
  const events = createEvents({ client, instance: 'a', logger })
  for (const name of ['a', 'b']) events.report({ ...subject, name }, 'Normal', 'Programmed', 'x')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(tries, 2)
  events.report({ ...subject, name: 'c' }, 'Normal', 'Programmed', 'x')
  await events.close()
  assert.equal(tries, 2)
})

test('a real API server takes events and their counts', { skip: whyNoApiServer(process.env) }, async () => {
  await using server = await startApiServer()
  const transport = createTransport({ access: await loadKubeAccess(server.kubeconfig) })
  let now = 0
  const events = createEvents({
    client: createKubeClient(transport, FIELD_MANAGER),
    instance: 'pod-a',
    logger,
    clock: () => now,
  })
  try {
    const router = { ...subject, namespace: 'default' }
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'default', name: 'l', uid: '' }
    events.report(router, 'Warning', 'PathConflict', '"/a/" is held by x/y.')
    events.report(lease, 'Normal', 'LeaderElection', 'a leads.')
    now = 31_000
    events.report(router, 'Warning', 'PathConflict', '"/a/" is held by x/y.')
    const read = async (): Promise<readonly unknown[]> =>
      JSON.parse((await server.kubectl(['get', 'events.events.k8s.io', '-o', 'json'])).stdout).items
    let found = await read()
    const until = performance.now() + 90_000
    const isComplete = () => found.some((event) => numberAt(event, 'series', 'count') === 2) && found.length === 2
    while (!isComplete() && performance.now() < until) found = await read()
    assert.ok(isComplete(), JSON.stringify(found))
    assert.deepEqual(found.map((event) => textAt(event, 'reason')).toSorted(), ['LeaderElection', 'PathConflict'])
  } finally {
    await events.close()
    await transport.close()
  }
})
