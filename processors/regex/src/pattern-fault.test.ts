import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patternFault } from './re2-engine.ts'

test("an engine's message, even an unknown message, becomes one of our codes and is never passed on", () => {
  assert.equal(patternFault('invalid perl operator: (?='), 'lookaround:')
  assert.equal(patternFault('invalid perl operator: (?z'), 'group:')
  assert.equal(patternFault('invalid UTF-8'), 'encoding:')
  assert.equal(patternFault('something new: secret'), 'pattern:')
  assert.equal(patternFault(''), 'pattern:')
})
