import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFault } from './custom-config.ts'

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

test('a configuration is refused that is too deep for a parser or too long for a ConfigMap', () => {
  for (const config of [undefined, {}, { any: [1, null, 'x'] }, { any: nested(99) }])
    assert.equal(configFault(config), undefined)
  for (const levels of [101, 9_000]) assert.match(configFault({ any: nested(levels) }) ?? '', /levels deep/)
  assert.equal(configFault({ any: 'x'.repeat(900 * 1024 - 100) }), undefined)
  assert.match(configFault({ any: 'ä'.repeat(500 * 1024) }) ?? '', /900 KiB/)
})
