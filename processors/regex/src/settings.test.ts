import assert from 'node:assert/strict'
import { test } from 'node:test'
import { regexSettings } from './settings.ts'

// Rules: docs/reference/processors.md#regex, docs/reference/environment-variables.md#single-processors

test('an empty file finds markdown blocks for every router but /json/, and json blocks there', () => {
  const { patterns, match_json } = regexSettings.parse({})
  assert.equal(match_json, true)
  assert.deepEqual(
    patterns.map(({ routers, path, field, json }) => ({ routers, path, field, json })),
    [
      { routers: 'default', path: 'choices[0].message.content', field: 'regex', json: false },
      { routers: ['/json/'], path: 'choices[0].message.content', field: 'regex', json: true },
    ],
  )
})

const MATCH_JSON: readonly (readonly [value: unknown, on: boolean])[] = [
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
  [false, false],
  ['true', true],
  ['1', true],
  [true, true],
]

for (const [value, on] of MATCH_JSON) {
  test(`MATCH_JSON ${JSON.stringify(value)} is ${on ? 'on' : 'off'}`, () => {
    assert.equal(regexSettings.parse({ match_json: value }).match_json, on)
  })
}

const INVALID: readonly (readonly [what: string, settings: object])[] = [
  ['a router without its slashes', { patterns: [{ pattern: 'a', routers: ['markdown'] }] }],
  ['an empty list of routers', { patterns: [{ pattern: 'a', routers: [] }] }],
  ['a text other than default', { patterns: [{ pattern: 'a', routers: 'all' }] }],
  ['an entry without a pattern', { patterns: [{}] }],
  ['an empty pattern', { patterns: [{ pattern: '' }] }],
  ['a pattern longer than 4,096 characters', { patterns: [{ pattern: 'a'.repeat(4_097) }] }],
  ['more than 100 patterns', { patterns: Array.from({ length: 101 }, () => ({ pattern: 'a' })) }],
  ['a field named __proto__', { patterns: [{ pattern: 'a', field: '__proto__' }] }],
  ['a limit of no sections', { max_sections: 0 }],
  ['a limit of too many sections', { max_sections: 1_001 }],
  ['a limit of too many characters', { max_characters: 16_777_217 }],
]

for (const [what, settings] of INVALID) {
  test(`${what} is rejected as a setting`, () => assert.equal(regexSettings.safeParse(settings).success, false))
}
