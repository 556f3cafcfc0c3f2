import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesHost } from './permit-key.ts'

// Rules: docs/reference/kubernetes.md#variables

const cases: readonly (readonly [entry: string, url: string, forKey: boolean, expected: boolean])[] = [
  ['res.example', 'https://res.example/v1', true, true],
  ['res.example', 'https://RES.example/', true, true],
  ['res.example', 'https://evil.example/', true, false],
  ['res.example', 'https://res.example.evil.example/', true, false],
  ['res.example', 'https://xres.example/', true, false],
  ['res.example', 'https://res.example:8443/', true, false],
  ['res.example:8443', 'https://res.example:8443/', true, true],
  ['res.example:8443', 'https://res.example/', true, false],
  ['*.example', 'https://res.example/', true, true],
  ['*.example', 'https://a.res.example/', true, false],
  ['*.example', 'https://example/', true, false],
  ['res.example', 'http://res.example/', true, false],
  ['res.example:80', 'http://res.example/', true, false],
  ['res.example:80', 'http://res.example/', false, true],
  ['http://res.example', 'http://res.example/', true, true],
  ['http://res.example', 'https://res.example/', true, false],
  ['http://res.example:8080', 'http://res.example:8080/', true, true],
]
for (const [entry, url, forKey, expected] of cases) {
  test(`${entry} ${expected ? 'admits' : 'refuses'} ${url}${forKey ? ' for a key' : ''}`, () => {
    assert.equal(matchesHost(entry, new URL(url), { forKey }), expected)
  })
}
