import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type PipelineScene, type ProcessorEntry, startPipelineScene } from '../../fake/pipeline-scene.ts'
import { NO_REPLY } from '../../fake/processor.ts'

// Rules: docs/reference/bus.md#failures, docs/reference/bus.md#required, docs/reference/http.md#without-the-bus

type Failure = readonly [what: string, entry: Omit<ProcessorEntry, 'name'>, error: string]

const failures: readonly Failure[] = [
  ['timeout', { timeout: 50, reply: () => NO_REPLY }, 'timeout'],
  ['no-responders', { service_bus_topic: 'nobody.here' }, 'no responders'],
  ['text', { reply: () => 'not JSON' }, 'not an object'],
  ['array', { reply: () => '[{}]' }, 'not an object'],
  ['null', { reply: () => 'null' }, 'not an object'],
  ['half', { reply: () => '{"a":' }, 'not an object'],
  ['not-utf8', { reply: () => Uint8Array.of(0x7b, 0xff, 0x7d) }, 'not an object'],
  ['too-large', { input_fields_include: ['ingress_payload', 'egress_payload'] }, 'too large'],
]
const answers: readonly (readonly [what: string, reply: ProcessorEntry['reply'], completed: boolean])[] = [
  ['empty', () => undefined, false],
  ['blank', () => ' \n', false],
  ['braces', () => '{}', false],
  ['object', () => ({ noted: 1 }), true],
  ['unlisted', () => ({ other: 1 }), true],
]
const MAX_PAYLOAD = 64 * 1024
/** A message with this body exceeds the bus's limit. */
const LARGE = JSON.stringify('x'.repeat(MAX_PAYLOAD))

let scene: PipelineScene

before(async () => {
  const small = { input_fields_include: ['gl_path'] }
  const row = (entry: Omit<ProcessorEntry, 'name'>, required: boolean) => [
    [
      { name: 'failing', output_fields_write: ['noted'], required, ...entry },
      { name: 'beside', ...small },
    ],
    [{ name: 'later', ...small }],
  ]
  scene = await startPipelineScene(
    [
      ...failures.flatMap(([what, entry]) =>
        [false, true].flatMap((required) => [
          { path: `/request-${what}-${required}/`, request: row(entry, required) },
          { path: `/response-${what}-${required}/`, response: row(entry, required) },
        ]),
      ),
      ...answers.map(([what, reply]) => ({ path: `/answer-${what}/`, request: row({ reply }, true) })),
    ],
    { nats: { maxPayload: MAX_PAYLOAD } },
  )
  const headers = [['Content-Type', 'application/json']] as const
  scene.llm.respond(({ body }) => ({ kind: 'answer', headers, body: body.length > 1_000 ? LARGE : '{"ok":true}' }))
})
after(() => scene.close())

function ask(phase: string, what: string, required: boolean) {
  return scene.ask(`/${phase}-${what}-${required}/`, what === 'too-large' ? { body: LARGE } : {})
}

for (const [what, , error] of failures) {
  for (const phase of ['request', 'response'] as const) {
    test(`failure “${what}” in the ${phase} phase is the error "${error}", and the call goes on`, async () => {
      const { answer, body, record, calls } = await ask(phase, what, false)
      assert.deepEqual([answer.status, body], [200, what === 'too-large' ? LARGE : '{"ok":true}'])
      assert.deepEqual(record.field(`${phase}.error`), [{ name: 'failing', details: error }])
      assert.equal(record.field(`${phase}.processors[0].name`), 'failing')
      assert.equal(record.field(`${phase}.processors[0].details.completed`), false)
      assert.equal(record.field(`${phase}.noted`), undefined)
      assert.ok(calls.some(({ name }) => name === 'later'))
    })
  }

  test(`a required processor with failure “${what}” in the request phase answers 503; neither the LLM API nor later rows are called`, async () => {
    scene.llm.requests.clear()
    const { answer, body, record, calls } = await ask('request', what, true)
    assert.equal(answer.status, 503)
    assert.equal(JSON.parse(body).error.code, 'PROCESSOR_REQUIRED')
    assert.equal(scene.llm.requests.total, 0)
    assert.ok(!calls.some(({ name }) => name === 'later'))
    assert.equal(record.record.error_type, 'policy_unavailable')
    assert.deepEqual(record.field('request.error'), [{ name: 'failing', details: error }])
    assert.equal(record.field('request.processors[0].details.required'), true)
    assert.equal(record.field('response.egress_status_code'), 503)
  })

  test(`a required processor with failure “${what}” in the response phase is an error entry, and the answer is unchanged`, async () => {
    const { answer, record } = await ask('response', what, true)
    assert.equal(answer.status, 200)
    assert.deepEqual(record.field('response.error'), [{ name: 'failing', details: error }])
    assert.equal(record.record.error_type, undefined)
  })
}

for (const [what, , completed] of answers) {
  test(`the reply "${what}" of a required processor counts as an answer, completed=${completed}`, async () => {
    const { answer, record } = await scene.ask(`/answer-${what}/`)
    assert.equal(answer.status, 200)
    assert.equal(record.field('request.processors[0].details.completed'), completed)
    assert.equal(record.field('request.error'), undefined)
  })
}

test('without the bus the error is "disconnected": optional processors are passed over, a required processor means 503', async () => {
  await scene.nats.stop()
  // The connection for calls; the connection for records logs a line of its own.
  await scene.gateway.logs.waitFor((line) => line.msg === 'bus disconnected' && line.for === undefined)
  const ask = (path: string) => fetch(`${scene.gateway.url}${path}`, { method: 'POST', body: '{}' })
  const optional = await ask('/request-timeout-false/')
  const required = await ask('/request-timeout-true/')
  assert.deepEqual([optional.status, required.status], [200, 503])
  await scene.nats.restart()
  for (const answer of [optional, required]) {
    const record = await scene.recordOf(answer)
    assert.deepEqual(record.field('request.error[0]'), { name: 'failing', details: 'disconnected' })
  }
})
