import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerMessage } from './answer-message.ts'

// Rules: docs/reference/processors.md#broker

const POOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ['/pool/', ['/pool/a/', '/pool/b/']],
  ['/pool/special/', ['/c/']],
])

function answered(message: Readonly<Record<string, unknown>>) {
  const failed: string[] = []
  const answer = answerMessage(new Map(Object.entries(message)), {
    pools: POOLS,
    availability: { disabledUntil: () => undefined },
    random: () => 0.6,
    chosen: () => undefined,
    failed: (router, reason) => failed.push(`${router} ${reason}`),
  })
  return { answer, failed }
}

test('a call to a pool gets the path of a member', () => {
  assert.deepEqual(answered({ gl_path: '/pool/' }), { answer: { gl_path: '/pool/b/' }, failed: [] })
  assert.deepEqual(answered({ gl_path: '/pool/special/' }), { answer: { gl_path: '/c/' }, failed: [] })
})

test('a request with every field, another processor’s error included, is handled as a request', () => {
  const message = { gl_path: '/pool/', ingress_method: 'POST', error: [{ name: 'tokenizer', details: 'timeout' }] }
  assert.deepEqual(answered(message).answer, { gl_path: '/pool/b/' })
})

for (const path of [
  '/pool',
  '/pool/a/',
  '/pool/x/',
  '/pool/special',
  '/',
  '',
  '__proto__',
  'constructor',
  7,
  null,
  ['/pool/'],
  {},
]) {
  test(`a call to ${JSON.stringify(path)}, which is not a pool, gets an empty answer`, () => {
    assert.deepEqual(answered({ gl_path: path }), { answer: undefined, failed: [] })
  })
}

test('a message without gl_path gets an empty answer', () => {
  assert.deepEqual(answered({}), { answer: undefined, failed: [] })
  assert.deepEqual(
    answered({ egress_status_code: 502, error: [{ name: 'outbound', details: 'UPSTREAM_RESET' }] }).failed,
    [],
  )
})

test('a response gets an empty answer, and its failure disables the router that answered', () => {
  const failed = answered({ gl_path: '/pool/a/', inbound_status_code: 503, egress_status_code: 503 })
  assert.deepEqual(failed, { answer: undefined, failed: ['/pool/a/ server_error'] })
  const refused = { gl_path: '/pool/a/', error: [{ name: 'outbound', details: 'UPSTREAM_REFUSED' }] }
  assert.deepEqual(answered({ ...refused, egress_status_code: 502 }).failed, ['/pool/a/ connection'])
  assert.deepEqual(answered(refused).failed, ['/pool/a/ connection'])
  assert.deepEqual(answered({ gl_path: '/pool/a/', inbound_status_code: 200, egress_status_code: 200 }).failed, [])
})

test('a response of the pool itself disables no member', () => {
  const { answer } = answered({
    gl_path: '/pool/',
    egress_status_code: 502,
    error: [{ name: 'outbound', details: 'UPSTREAM_REFUSED' }],
  })
  assert.equal(answer, undefined)
})
