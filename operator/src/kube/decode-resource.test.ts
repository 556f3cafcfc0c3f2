import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeGateway, decodeProcessor, decodeRouter, gatewayDecoder } from './decode-resource.ts'

// Rules: docs/reference/kubernetes.md#reasons

const metadata = { name: 'a', namespace: 'n', uid: 'u', generation: 2, annotations: { other: 'x' } }
const spec = { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url: 'https://res.example/' } }
const accepted = { type: 'Accepted', status: 'True', reason: 'Accepted', message: '' }
const time = { lastTransitionTime: '2026-11-21T01:00:00Z' }

test('a status that is too long loses its long parts, and the spec is kept', () => {
  const long = { ...accepted, ...time, type: 'Ready', message: 'x'.repeat(5_000) }
  const status = { url: 7, rejectedFields: [], conditions: [{ ...accepted, ...time }, long] }
  const router = decodeRouter({ metadata, spec, status })
  assert.equal(router?.unreadable, undefined)
  assert.equal(router?.spec.path, '/a/')
  assert.deepEqual(router?.status, { rejectedFields: [], conditions: [{ ...accepted, ...time }] })
})

test('an unreadable resource keeps the spec and generation that were read last, beside the stored generation', () => {
  const before = decodeRouter({ metadata: { ...metadata, generation: 1 }, spec })
  const after = decodeRouter({ metadata, spec: { ...spec, outbound: {} } }, before)
  assert.deepEqual(after?.spec, before?.spec)
  assert.equal(after?.metadata.generation, 1)
  assert.deepEqual(after?.unreadable, { isKept: true, generation: 2 })
  assert.deepEqual(decodeRouter({ metadata, spec }, after)?.unreadable, undefined)
})

test('a resource that was created again under its name keeps nothing of the previous resource', () => {
  const before = decodeRouter({ metadata: { ...metadata, uid: 'other' }, spec })
  const after = decodeRouter({ metadata, spec: { ...spec, outbound: {} } }, before)
  assert.deepEqual(after?.unreadable, { isKept: false, generation: 2 })
  assert.deepEqual(after?.metadata.annotations, {})
})

test('a spec that was never read gives only the gateway and the path of its resource', () => {
  const { gatewayRef, path } = spec
  const stub = (object: unknown) => decodeRouter({ metadata, spec: object })?.spec
  const nowhere = { internal: false, outbound: { url: '' } }
  assert.deepEqual(stub({ gatewayRef, path, internal: 'no', env: 7 }), { gatewayRef, path, ...nowhere })
  for (const broken of [undefined, null, 7, [], { path: 'a' }, { path: ['/a/'] }])
    assert.deepEqual(stub(broken), { gatewayRef: { name: '' }, path: '', ...nowhere })
  assert.deepEqual(decodeProcessor({ metadata, spec: { gatewayRef, type: 'Newer', replicas: 2 } })?.spec, {
    gatewayRef,
    type: 'Custom',
    replicas: 2,
  })
  const gateway = decodeGateway({ metadata, spec: { class: 'b', gatewayId: 'ABCDEFGH', limits: 7 } })
  assert.deepEqual(
    [gateway?.spec.class, gateway?.spec.gatewayId, gateway?.unreadable?.isKept],
    ['b', 'ABCDEFGH', false],
  )
})

test('of a gateway of another class only the class is kept, and its status', () => {
  const decode = gatewayDecoder('ours')
  const large = { sharedEnv: [{ name: 'A', value: 'x' }], gatewayId: 'ABCDEFGH' }
  const status = { conditions: [{ ...accepted, ...time }] }
  const ofClass = (name: string, before?: ReturnType<typeof decode>) =>
    decode({ metadata, spec: { ...large, class: name }, status }, before)
  const [ours, theirs] = [ofClass('ours'), ofClass('theirs')]
  assert.deepEqual([ours?.spec.sharedEnv?.length, ours?.spec.gatewayId], [1, 'ABCDEFGH'])
  assert.deepEqual([theirs?.spec.sharedEnv, theirs?.spec.gatewayId, theirs?.spec.class], [undefined, '', 'theirs'])
  assert.deepEqual([theirs?.metadata, theirs?.status], [ours?.metadata, ours?.status])
  assert.deepEqual(ofClass('ours', theirs)?.spec, ours?.spec)
})

test('an object without metadata is not decoded', () => {
  for (const broken of [undefined, null, 7, [], {}, { metadata: { name: 7 } }]) {
    assert.equal(decodeRouter(broken), undefined)
    assert.equal(decodeGateway(broken), undefined)
    assert.equal(decodeProcessor(broken), undefined)
  }
})

test('of labels, annotations and owners only the pause of a gateway is kept, so that they take no memory', () => {
  const filling = { 'llmgateway.io/x': 'x', other: 'x' }
  const ownerReferences = [{ uid: 'u' }]
  const annotations = { ...filling, 'llmgateway.io/paused': 'true' }
  const full = { ...metadata, labels: filling, annotations, ownerReferences }
  const pause = { 'llmgateway.io/paused': 'true' }
  const gatewayRef = { name: 'main' }
  const kept = [
    decodeRouter({ metadata: full, spec }),
    decodeRouter({ metadata: full, spec: {} }),
    decodeProcessor({ metadata: full, spec: { gatewayRef, type: 'Newer' } }),
    decodeGateway({ metadata: full, spec: {} }),
  ]
  for (const one of kept) {
    assert.deepEqual([one?.metadata.labels, one?.metadata.annotations, one?.metadata.ownerReferences], [{}, pause, []])
  }
  const long = decodeGateway({
    metadata: { ...metadata, annotations: { 'llmgateway.io/paused': 'x'.repeat(200_000) } },
    spec: {},
  })
  assert.deepEqual(long?.metadata.annotations, {})
})
