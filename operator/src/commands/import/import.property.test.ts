import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as check from 'fast-check'
import { yamlStream } from '../render/write-rendered.ts'
import { importGlConfig } from './import-gl-config.ts'
import { filledIn, renderedFrom, runsAs } from './round-trip-under-test.ts'

// Rules: docs/reference/kubernetes.md#commands

const RUNS = 100
const environment = { URL: 'https://a.example/', KEY: 'k$ey', OTHER: 'o', NATS_TOKEN: 'token' }

const path = check
  .array(check.constantFrom('a', 'b', 'team-a', 'v1.0', 'X_Y', 'off', '1'), { minLength: 1, maxLength: 3 })
  .map((segments) => `/${segments.join('/')}/`)
const text = check
  .array(check.constantFrom('$', '${KEY}', '${OTHER}', '$${', 'a', 'B ', '{', '}'), { minLength: 1, maxLength: 5 })
  .map((parts) => `x${parts.join('')}x`)
const value = check.oneof(text, check.constantFrom('$KEY', 'regex:.+', 'application/json'))
const headers = check.dictionary(
  check.constantFrom('Api-Key', 'Content-Type', 'X-A', 'x-b', 'Cookie'),
  check.array(value, { minLength: 1, maxLength: 2 }),
)
const router = check.record(
  {
    path,
    internal: check.boolean(),
    ingress: check.record({ headers }),
    outbound: check.record(
      {
        url: check.constantFrom(
          '${URL}',
          '$URL',
          'https://b.example',
          '${URL}v1/${OTHER}',
          'https://${OTHER}.example/x',
        ),
        endpoint: check.constantFrom('', 'v1?x=${OTHER}', 'v1/chat'),
        headers,
      },
      { requiredKeys: ['url'] },
    ),
  },
  { requiredKeys: ['path', 'outbound'] },
)

const shipped = check.constantFrom(
  'tokenizer',
  'nlpentities',
  'tokencounter',
  'charactercount',
  'contentfilter',
  'regex',
)
const NAMES: Readonly<Record<string, string>> = {
  tokenizer: 'tokenizer',
  nlpentities: 'nlp_entities',
  tokencounter: 'token_counter',
  charactercount: 'character_count',
  contentfilter: 'content_filter',
  regex: 'regex',
  'custom.my-own': 'my_own',
}
const processor = check.record({
  subject: check.oneof(shipped, check.constant('custom.my-own')),
  timeout: check.integer({ min: 1, max: 600_000 }),
  modifier: check.boolean(),
  async: check.boolean(),
  input_fields_include: check.subarray(['gl_path', 'ingress_payload', 'egress_payload']),
  output_fields_write: check.subarray(['gl_path', 'extra', 'control']),
})

const config = check.record({
  gateway_id: check.constantFrom('GATEWAY1', 'ABCD1234'),
  session_id_header: check.constantFrom('Session-Id', 'X-Session'),
  masked_headers: check.subarray(['Api-Key', 'X-Own', 'cookie']),
  limits: check.record(
    {
      request_bytes: check.integer({ min: 1024, max: 1e8 }),
      drain_ms: check.integer({ min: 1, max: 60 }).map((s) => s * 1000),
    },
    { requiredKeys: [] },
  ),
  logger: check.record({ request: check.record({ fields_exclude: check.subarray(['ingress_payload', 'url']) }) }),
  routers: check.uniqueArray(router, { selector: ({ path }) => path, maxLength: 6 }),
  request: check.record({ processors: check.array(check.array(processor, { maxLength: 2 }), { maxLength: 3 }) }),
  response: check.record({ processors: check.array(check.array(processor, { maxLength: 2 }), { maxLength: 3 }) }),
})

const withEntries = (rows: readonly (readonly { subject: string }[])[]) =>
  rows.map((row) =>
    row.map(({ subject, ...entry }) => ({ name: NAMES[subject], service_bus_topic: `llm.gl.${subject}`, ...entry })),
  )

/** Notes with tasks for people, which tell no difference. */
const TO_DO = / holds a key in plain text: |^fill in: |: fill in |: copy its settings from/

/** The order of two writers of a field, which `runsAs` leaves out. */
const SIDE_BY_SIDE = /: behind: /

test('an import without complaints renders the same gateway again; every difference is named', () => {
  let silent = 0
  check.assert(
    check.property(config, (given) => {
      const file = JSON.stringify({
        ...given,
        request: { processors: withEntries(given.request.processors) },
        response: { processors: withEntries(given.response.processors) },
      })
      const outcome = importGlConfig(Buffer.from(file), { name: 'main', namespace: 'llm' })
      assert.ok(outcome.kind === 'imported', JSON.stringify(outcome))
      const { glConfig, values } = renderedFrom(filledIn(yamlStream(outcome.resources), environment))
      const was = runsAs(file, { environment })
      const is = runsAs(glConfig, { environment: { NATS_TOKEN: 'token' }, secrets: values })
      const notes = outcome.notes.filter((note) => !TO_DO.test(note))
      if (notes.length === 0) {
        silent += 1
        assert.deepEqual(is, was)
      } else if (!notes.every((note) => SIDE_BY_SIDE.test(note))) assert.notDeepEqual(is, was, notes.join('\n'))
    }),
    { numRuns: RUNS, seed: 6 },
  )
  assert.ok(silent > RUNS / 10, `only ${silent} without a difference`)
})
