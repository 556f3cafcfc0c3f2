import assert from 'node:assert/strict'
import { SettingsError } from '@llm-gateway/sdk'
import { compilePatterns } from './compile-patterns.ts'
import type { RegexEngine } from './re2-engine.ts'
import { regexSettings } from './settings.ts'
import { testWithRe2 } from './with-re2-under-test.ts'

testWithRe2('bad patterns are rejected by their place in the file, all of them together', (engine) => {
  const patterns = [
    { pattern: 'good' },
    { pattern: 'secret(?=x)', field: 'first' },
    { pattern: '(', routers: ['/a/'] },
    { pattern: 'also good', routers: ['/a/', '/b/', '/b/'], field: 'second' },
  ]
  const reasons = { 'patterns[1].pattern': 'lookaround:', 'patterns[2].pattern': 'parenthesis:' }
  assert.deepEqual(reasonsOf(patterns, engine), reasons)
})

testWithRe2('two patterns of one router need fields of their own', (engine) => {
  const both = [{ pattern: 'a' }, { pattern: 'b' }]
  assert.deepEqual(reasonsOf(both, engine), { 'patterns[1].field': 'unique:' })
  const routers = [{ pattern: 'a', routers: ['/a/'] }, { pattern: 'b' }, { pattern: 'c', routers: ['/b/', '/a/'] }]
  assert.deepEqual(reasonsOf(routers, engine), { 'patterns[2].field': 'unique:' })
  const apart = [{ pattern: 'a', field: 'first' }, { pattern: 'b' }, { pattern: 'c', routers: ['/a/'] }]
  assert.deepEqual(reasonsOf(apart, engine), {})
})

testWithRe2('a pattern that repeats too much in all is rejected before it is compiled', (engine) => {
  assert.deepEqual(reasonsOf([{ pattern: 'a{1,999}b{1000}' }], engine), {})
  const large = [{ pattern: 'a{1,999}b{1000}c{2}' }]
  assert.deepEqual(reasonsOf(large, engine), { 'patterns[0].pattern': 'too_large:' })
})

function reasonsOf(patterns: readonly object[], engine: RegexEngine): object {
  try {
    compilePatterns(regexSettings.parse({ patterns }).patterns, engine)
    return {}
  } catch (error) {
    if (error instanceof SettingsError) return error.reasons
    throw error
  }
}
