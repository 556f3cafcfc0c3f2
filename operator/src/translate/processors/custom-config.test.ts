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

/** An empty object that counts how often it is looked into, and so how often it is walked or written. */
function counted(): { readonly value: object; readonly looks: () => number } {
  let looks = 0
  const ownKeys = () => {
    looks += 1
    return []
  }
  return { value: new Proxy({}, { ownKeys }), looks: () => looks }
}

test('the walk of a configuration with too many objects ends at the limit', () => {
  const { value, looks } = counted()
  const fault = configFault({ any: Array.from({ length: 50 }, () => Array.from({ length: 6_000 }, () => value)) })
  assert.match(fault ?? '', /more than 20000 objects and lists/)
  assert.ok(looks() <= 20_000, `${looks()} looks`)
})

test('a configuration with much text is too large, before it is written', () => {
  const { value, looks } = counted()
  assert.match(configFault({ any: 'x'.repeat(900 * 1024 + 1), later: [value] }) ?? '', /900 KiB/)
  assert.equal(looks(), 0)
})

test('a configuration of many numbers is too large, before it is written', () => {
  const { value, looks } = counted()
  assert.match(configFault({ any: Array.from({ length: 470_000 }, () => 1), later: [value] }) ?? '', /900 KiB/)
  assert.equal(looks(), 0)
  assert.equal(configFault({ any: Array.from({ length: 450_000 }, () => 1) }), undefined)
})

test('a configuration is judged once', () => {
  const { value, looks } = counted()
  const config = { any: [value] }
  configFault(config)
  const once = looks()
  configFault(config)
  assert.equal(looks(), once)
})
