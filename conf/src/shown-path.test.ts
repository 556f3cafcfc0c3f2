import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expand } from './env-reference.ts'
import { type ShownPath, shownEndpointPath, shownUrlPath } from './shown-path.ts'

const environment = {
  T: 'secret',
  BASE: 'https://h/base',
  HOST: 'h',
  SCHEME: 'https',
  TWO: 'a/b',
  MARK: 'a?b',
  U: 'u:p',
}
const references = { environment }

const urls: readonly (readonly [string, ShownPath | undefined])[] = [
  ['https://h/a/b', undefined],
  ['https://h/${T}/v1', ['', null, 'v1']],
  ['https://h/v1/x-${T}/', ['', 'v1', null, '']],
  ['https://h/$${T}/v1', undefined],
  ['https://h/$${T}/${T}', ['', '${T}', null]],
  ['https://${HOST}/v1', undefined],
  ['https://${U}@h/v1/${T}?k=${T}', ['', 'v1', null]],
  ['${SCHEME}://${HOST}/${T}', ['', null]],
  ['${BASE}', undefined],
  ['$BASE', undefined],
  ['${BASE}/v1', undefined],
  ['${BASE}/v1/${T}', ['/base', 'v1', null]],
  ['https://h/${TWO}/v1', ['', null, 'v1']],
  ['https://h/${MARK}/v1', ['', null]],
]
for (const [url, shown] of urls) {
  test(`only segments with a reference are hidden in the path of ${url}`, () => {
    assert.deepEqual(shownUrlPath(url, expand(url, references).text, references), shown)
  })
}

const endpoints: readonly (readonly [string, ShownPath | undefined])[] = [
  ['', undefined],
  ['v1/chat?a=${T}', undefined],
  ['v1/${T}/chat', ['v1', null, 'chat']],
  ['${T}', [null]],
  ['/${T}/x', ['', null, 'x']],
]
for (const [endpoint, shown] of endpoints) {
  test(`only segments with a reference are hidden in the endpoint ${endpoint}`, () => {
    assert.deepEqual(shownEndpointPath(endpoint, expand(endpoint, references).text, references), shown)
  })
}
