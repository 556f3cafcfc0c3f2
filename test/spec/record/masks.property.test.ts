// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { jsonAnswer } from '../../fake/llm-answer.ts'
import { type PipelineScene, type ProcessorEntry, startPipelineScene } from '../../fake/pipeline-scene.ts'
import { openRawConnection } from '../../fake/raw-http.ts'

// Rules: docs/reference/record.md#masks

const HEADERS = [
  'Api-Key',
  'Authorization',
  'X-Api-Key',
  'Cookie',
  'X-Team',
  'Proxy-Authorization',
  'X-Amz-Security-Token',
]
const PARAMETERS = ['key', 'api-key', 'token', 'access_token', 'sig', 'subscription-key', 'deployment']
const WRITES = [
  'outbound_headers',
  'outbound_query_parameters',
  'outbound_subpath',
  'gl_path',
  'egress_headers',
  'egress_status_code',
  'control_headers',
  'control',
]

const hex = fc.stringMatching(/^[0-9a-f]{16}$/)
const visibleText = fc.stringMatching(/^[!-~]{0,8}$/)
const anyCase = (names: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), fc.array(fc.boolean(), { minLength: 24, maxLength: 24 })).map(([name, upper]) => {
    return [...name].map((letter, i) => (upper[i] ? letter.toUpperCase() : letter.toLowerCase())).join('')
  })
/** Each letter plain or percent-encoded, with digits in either case. */
const encoded = fc
  .tuple(anyCase(PARAMETERS), fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 24, maxLength: 24 }))
  .map(([name, how]) => {
    const percent = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`
    return [...name].map((letter, i) => [letter, percent(letter), percent(letter).toUpperCase()][how[i] ?? 0]).join('')
  })
const header = fc.record({ name: anyCase(HEADERS), before: visibleText, after: visibleText })
const parameter = fc.record({ name: encoded, before: fc.constantFrom('', '%22', 'a=', '%zz', '+') })
const value = fc.oneof(
  fc.constantFrom('/sub/', 201, null, 'x'),
  fc.dictionary(fc.constantFrom(...HEADERS, 'X', 'a'), fc.array(fc.string())),
)
const reply = fc.dictionary(fc.constantFrom(...WRITES), value)

let scene: PipelineScene
let processorReply: Readonly<Record<string, unknown>> = {}
/** A processor that returns its input: an echo must not undo a mask. */
const echo: ProcessorEntry['reply'] = ({ fields }) => ({ ...fields, ...processorReply })

before(async () => {
  const row = (over: object = {}) => [{ name: 'probe', output_fields_write: WRITES, reply: echo, ...over }]
  const rows = [row({ name: 'modifies', modifier: true }), row(), row({ name: 'late', async: true })]
  const outbound = { url: '$LLM', endpoint: 'x?deployment=${DEPLOYMENT}', headers: { 'X-Team': ['${TEAM}'] } }
  scene = await startPipelineScene(
    [
      { path: '/any/', request: rows, response: rows },
      { path: '/sub/', router: { internal: true, outbound }, response: rows },
    ],
    { env: { TEAM: 'secretteam', DEPLOYMENT: 'secretdeployment' } },
  )
})
after(() => scene.close())

test('masked values never occur in a record or a processor’s message', async () => {
  const lists = { headers: fc.array(header, { maxLength: 4 }), parameters: fc.array(parameter, { maxLength: 4 }) }
  const call = fc.record({ ...lists, secret: hex, reply })
  const run = fc.asyncProperty(call, async ({ headers, parameters, secret, reply: next }) => {
    processorReply = next
    scene.records.clear()
    scene.calls.clear()
    scene.llm.respond(() => jsonAnswer({}, { headers: HEADERS.map((name) => [name, `llm ${secret}`] as const) }))
    const query = parameters.map(({ name, before }) => `${name}=${before}${secret}`).join('&')
    const lines = headers.map(({ name, before, after }) => `${name}: ${before}${secret}${after}\r\n`).join('')
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(`GET /any/x?${query} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`)
    const [record] = await scene.records.waitForCount(1)
    for (const text of [record?.text ?? secret, ...scene.calls.entries.map((message) => message.text)]) {
      assert.ok(!text.includes(secret) && !/secret(team|deployment)/.test(text), text)
    }
    assert.ok(scene.calls.total > 0)
  })
  await fc.assert(run, { numRuns: 150 })
})
