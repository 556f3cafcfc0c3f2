import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mockUnderTest } from './mock-under-test.ts'
import { type RecordingOutcome, takeRecording } from './take-recording.ts'

// Rules: docs/reference/processors.md#mock

type Fields = Readonly<Record<string, unknown>>
type Reason = Extract<RecordingOutcome, { kind: 'not recorded' }>['reason']

const OPTIONS = { routersPrefix: '/mock', sessionHeader: 'Session-Id' }
const ANSWER: Fields = { gl_path: '/a/', egress_status_code: 200, egress_headers: {}, egress_payload: { id: 1 } }
const GATEWAY_ERROR = { 'Gateway-Error': ['UPSTREAM_REFUSED'] }

const take = (message: Fields): RecordingOutcome => takeRecording(new Map(Object.entries(message)), OPTIONS)
const error = (...names: readonly string[]): Fields => ({ error: names.map((name) => ({ name, details: '…' })) })

/** The change to the answer and the reason why it isn't recorded; undefined: it is recorded. */
const CASES: readonly (readonly [what: string, changed: Fields, reason: Reason | undefined])[] = [
  ['an answer', {}, undefined],
  ["an LLM API's own error", { egress_status_code: 429 }, undefined],
  ["an LLM API's own error with its entry", { egress_status_code: 500, ...error('egress_status_code') }, undefined],
  ['an answer with the error of a late processor', error('regex'), undefined],
  ['no body', { egress_payload: null, egress_status_code: 204 }, undefined],
  ['an answer without headers', { egress_headers: undefined }, undefined],
  ['a chained gateway’s error', { egress_headers: GATEWAY_ERROR, egress_status_code: 502, ...error('x') }, undefined],
  ['a replay', { gl_path: '/mock/a/' }, 'replay'],
  ['a replay reached by a re-route', { gl_path: '/mock/a/', original_gl_path: '/b/' }, 'replay'],
  ['a call re-routed from a replay router', { gl_path: '/b/', original_gl_path: '/mock/a/' }, 'replay'],
  ['no connection', { egress_headers: GATEWAY_ERROR, egress_status_code: 502, egress_payload: null }, 'no answer'],
  ['no connection, header names in lower case', { egress_headers: { 'gateway-error': ['UPSTREAM_TLS'] } }, 'no answer'],
  ['a stream that broke', error('outbound'), 'no answer'],
  ['an answer that cannot be decoded', error('token_counter', 'inbound_payload'), 'no answer'],
  ['a caller that left', { egress_status_code: 499 }, 'no answer'],
  ['no status', { egress_status_code: undefined }, 'no answer'],
  ['a status that is a string', { egress_status_code: '200' }, 'no answer'],
  ['a status that a processor may not write', { egress_status_code: 101 }, 'no answer'],
  ['a payload that was cut for the bus', { egress_payload: { cut: true, bytes: 9, head: '{' } }, 'cut'],
  ['a payload that resembles a cut payload', { egress_payload: { cut: true, bytes: 9, head: '{', a: 1 } }, undefined],
  ['no router', { gl_path: undefined }, 'incomplete message'],
  ['an invalid router path', { gl_path: 'a' }, 'incomplete message'],
  ['a path longer than a key can be', { gl_path: `/${'a'.repeat(1_023)}/` }, 'incomplete message'],
]

test('the last answer is recorded, except for replays and calls without an answer', () => {
  for (const [what, changed, reason] of CASES) {
    const taken = take({ ...ANSWER, ...changed })
    assert.equal(taken.kind === 'answer' ? undefined : taken.reason, reason, what)
  }
  const { egress_payload, ...none } = ANSWER
  assert.deepEqual(take(none), { kind: 'not recorded', reason: 'incomplete message' })
})

test('the routers of a re-route are listed once each, without values that are not paths', () => {
  const routers = (message: Fields) => {
    const taken = take({ ...ANSWER, ...message })
    return taken.kind === 'answer' ? taken.routers : []
  }
  assert.deepEqual(routers({}), ['/a/'])
  assert.deepEqual(routers({ original_gl_path: '/b/' }), ['/a/', '/b/'])
  assert.deepEqual(routers({ original_gl_path: '/a/' }), ['/a/'])
  assert.deepEqual(routers({ original_gl_path: null }), ['/a/'])
  assert.deepEqual(routers({ gl_path: 7, original_gl_path: '/b/' }), ['/b/'])
})

test('an answer that is not recorded keeps the last recording and is counted', async () => {
  const { send, record, replay, counted } = mockUnderTest({ limits: { recordingBytes: 1_000 } })
  await record('/a/', 'first')
  const fails = { egress_status_code: 502, egress_headers: { 'Gateway-Error': ['UPSTREAM_TIMEOUT'] } }
  await record('/a/', null, fails)
  await record('/a/', 'x'.repeat(1_000))
  await record('/a/', 'cut short', { error: [{ name: 'outbound', details: 'UPSTREAM_RESET' }] })
  await send({ gl_path: '/a/', egress_status_code: 200 })
  assert.equal((await replay('/mock/a/')).payload, 'first')
  assert.deepEqual(counted, ['recorded', 'no answer', 'too large', 'no answer', 'incomplete message', 'replay'])
})
