import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type PipelineScene, type ProcessorEntry, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#limits

const MB = 1024 * 1024
const LARGE = JSON.stringify({ text: 'x'.repeat(29 * MB) })

/** A member that selects its own set of fields, so that no two members share a message. */
function member(name: string, payload: string, isAsync: boolean): ProcessorEntry {
  return {
    name,
    async: isAsync,
    timeout: 60_000,
    input_fields_include: [payload, `none_${name}`],
    output_fields_write: [name],
    reply: ({ bytes }) => ({ [name]: bytes.length > 29 * MB }),
  }
}

const requestNames = ['ask_1', 'ask_2', 'ask_3']
const responseNames = ['answer_1', 'answer_2', 'answer_3']
let scene: PipelineScene

before(async () => {
  const request = requestNames.map((name) => member(name, 'ingress_payload', true))
  const response = [
    member('inline', 'egress_payload', false),
    ...responseNames.map((name) => member(name, 'egress_payload', true)),
  ]
  scene = await startPipelineScene([{ path: '/large/', request: [request], response: [response] }])
  const headers = [['Content-Type', 'application/json']] as const
  scene.llm.respond(() => ({ kind: 'answer', headers, body: LARGE }))
})
after(() => scene.close())

test('a body of 29 MB reaches every processor, one synchronous and six asynchronous', async () => {
  const { answer, body, record } = await scene.ask('/large/', { body: LARGE })
  assert.deepEqual([answer.status, body.length], [200, LARGE.length])
  assert.deepEqual([record.field('request.error'), record.field('response.error')], [undefined, undefined])
  for (const name of requestNames) assert.equal(record.field(`request.${name}`), true, name)
  for (const name of ['inline', ...responseNames]) assert.equal(record.field(`response.${name}`), true, name)
})
