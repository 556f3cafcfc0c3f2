import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from './check-gl-config.ts'

// Rules: docs/reference/configuration-rules.md#rows-and-entries

const entry = (more: object = {}): object => ({ name: 'a', service_bus_topic: 'a.b', timeout: 1, ...more })
const many = <T>(count: number, item: T): readonly T[] => Array.from({ length: count }, () => item)
const paths = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `/${String(index).padStart(length - 2, '0')}/`)

function judge(phases: object): object {
  const references = { environment: { LONG: 'x'.repeat(70_000) } }
  const verdict = checkGlConfig(Buffer.from(JSON.stringify({ ...phases, routers: [] })), references)
  return verdict.kind === 'invalid' ? verdict.validationErrors : {}
}
const request = (processors: unknown): object => ({ request: { processors } })
const rows = 'gl_config.request.processors'
const first = `${rows}[0][0]`

const bounds: readonly (readonly [what: string, fits: object, exceeds: object, errors: object])[] = [
  ['5,000 rows', request(many(5_000, [entry()])), request(many(5_001, [])), { [rows]: 'max:5000' }],
  ['64 entries of a row', request([many(64, entry())]), request([many(65, entry())]), { [`${rows}[0]`]: 'max:64' }],
  [
    '5,000 entries of a phase',
    request(many(2_500, many(2, entry()))),
    request([...many(2_500, many(2, entry())), [entry()]]),
    { [rows]: 'size:' },
  ],
  [
    '128 characters of a name',
    request([[entry({ name: 'a'.repeat(128) })]]),
    request([[entry({ name: 'a'.repeat(129) })]]),
    { [`${first}.name`]: 'max:128' },
  ],
  [
    '65,536 characters of the names of fields',
    request([[entry({ input_fields_include: many(60, 'x'.repeat(1_024)) })]]),
    request([
      [entry({ input_fields_include: many(40, 'x'.repeat(1_024)), output_fields_write: many(24, 'x'.repeat(1_024)) })],
    ]),
    { [first]: 'size:' },
  ],
  [
    '65,536 characters with references replaced',
    request([[entry({ output_fields_write: ['x'.repeat(60_000)] })]]),
    request([[entry({ output_fields_write: ['$LONG'] })]]),
    { [first]: 'size:' },
  ],
  [
    '1,024 characters of a path',
    request([[entry({ routers: paths(1, 1_024) })]]),
    request([[entry({ routers: paths(1, 1_025) })]]),
    { [`${first}.routers[0]`]: 'max:1024' },
  ],
  [
    '16 Mi characters of all entries',
    { request: { processors: [[entry({ routers: paths(16_000, 1_000) })]] }, response: { processors: [] } },
    {
      request: { processors: [[entry({ routers: paths(8_400, 1_000) })]] },
      response: { processors: [[entry({ reroute_to: paths(8_400, 1_000) })]] },
    },
    { [rows]: 'size:', 'gl_config.response.processors': 'size:' },
  ],
]
for (const [what, fits, exceeds, errors] of bounds) {
  test(`a file may have ${what} and no more`, () => {
    assert.deepEqual(judge(fits), {})
    assert.deepEqual(judge(exceeds), errors)
  })
}
