import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restUrl } from './rest-url.ts'

// Rules: docs/reference/nats2file-config.md

const URLS: readonly (readonly [string, number | undefined, string, string | undefined])[] = [
  ['http://logs', undefined, '', 'http://logs/'],
  ['http://logs', 0, '', 'http://logs/'],
  ['http://logs', 8088, 'in', 'http://logs:8088/in'],
  ['http://logs:1', 8088, '/in?x=1', 'http://logs:8088/in?x=1'],
  ['https://logs/base/', 443, '/in', 'https://logs/base/in'],
  ['https://logs/base?key=1', undefined, '', 'https://logs/base?key=1'],
  ['ftp://logs', undefined, '', undefined],
  ['logs', undefined, '', undefined],
]

test('url, port and endpoint of rest_api_writer are one address', () => {
  for (const [url, port, endpoint, expected] of URLS) {
    assert.equal(restUrl({ url, port, endpoint })?.href, expected, `${url} ${port} ${endpoint}`)
  }
})
