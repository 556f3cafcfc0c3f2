import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type PipelineScene, startPipelineScene } from '../../fake/pipeline-scene.ts'
import type { ProcessorReply } from '../../fake/processor.ts'

// Rules: docs/reference/bus.md#reply

const RESERVED = [
  'session_id',
  'transaction_id',
  'processors',
  'processors_async',
  'error',
  '__proto__',
  'ingress_outbound_timer',
  'outbound_inbound_timer',
  'inbound_egress_timer',
  'first_byte_timer',
  'ingress_egress_timer',
  'egress_post_timer',
]
const EFFECTS = [
  'control',
  'control_status_code',
  'control_headers',
  'gl_path',
  'outbound_payload',
  'outbound_headers',
  'outbound_subpath',
  'outbound_query_parameters',
  'egress_payload',
  'egress_headers',
  'egress_status_code',
]
const PLAIN = ['a', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '']
const LISTED = [...RESERVED, ...EFFECTS, ...PLAIN]

const name = fc.constantFrom(...LISTED, '__defineGetter__', 'unlisted')
const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('/pool/', '/echo/', 200, 599, null, { polluted: true }),
  fc.dictionary(fc.oneof(name, fc.string()), fc.array(fc.string())),
)
/** The text of an object with any names, also `__proto__`, repeated and nested names. */
const object = fc.array(fc.tuple(fc.oneof(name, fc.string()), value), { maxLength: 6 }).map((members) => {
  const texts = members.map(([key, held]) => `${JSON.stringify(key)}:${JSON.stringify(held)}`)
  return `{${texts.join(',')}}`
})
const reply = fc.oneof({ weight: 5, arbitrary: object }, fc.json(), fc.string(), fc.uint8Array())

let scene: PipelineScene
let nextReply: ProcessorReply

before(async () => {
  const row = (name: string, over = {}) => [{ name, output_fields_write: LISTED, reply: () => nextReply, ...over }]
  const both = [row('adds'), row('modifies', { modifier: true }), row('late', { async: true })]
  scene = await startPipelineScene([{ path: '/any/', request: both, response: both }, { path: '/pool/' }])
})
after(() => scene.close())

test('no reply can write a reserved name or __proto__, and no reply breaks the call', async () => {
  const run = fc.asyncProperty(reply, async (next) => {
    nextReply = next
    const { answer, record } = await scene.ask('/any/chat/completions')
    assert.ok(answer.status >= 200 && answer.status <= 599)
    const { record: whole } = record
    const id = answer.headers.get('session-id')
    assert.deepEqual([whole.session_id, whole.transaction_id], [id, id])
    for (const side of [whole.request, whole.response]) {
      const own = new Map(Object.entries(side ?? {}))
      assert.deepEqual(
        [own.get('__proto__'), own.get('session_id'), own.get('transaction_id')],
        [undefined, undefined, undefined],
      )
      for (const key of ['ingress_egress_timer', 'egress_post_timer', 'first_byte_timer', 'unlisted'])
        assert.ok(!own.has(key), key)
      for (const key of ['ingress_outbound_timer', 'outbound_inbound_timer', 'inbound_egress_timer'])
        assertTimer(own.get(key))
      const called = JSON.stringify(own.get('processors') ?? []).match(/"name":"(\w+)","details"/g) ?? []
      assert.ok(called.every((text) => /adds|modifies/.test(text)))
      assert.ok(Array.isArray(own.get('error') ?? []))
    }
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  })
  await fc.assert(run, { numRuns: 150 })
})

function assertTimer(timer: unknown): void {
  if (timer !== undefined) assert.deepEqual(Object.keys(Object(timer)), ['start', 'stop', 'duration'])
}
