import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf } from './failure.ts'

test('an error is told by its name, its code and the line it came from, never by its message', () => {
  const failure = failureOf(new TypeError('planted-secret'))
  assert.equal(failure.name, 'TypeError')
  assert.match(failure.at ?? '', /^failure\.test\.ts:\d+$/)
  assert.doesNotMatch(JSON.stringify(failure), /planted/)
  assert.equal(failureOf(Object.assign(new Error('x'), { code: 'ENOENT' })).code, 'ENOENT')
})

test('a message that looks like a stack does not become a place', () => {
  const failure = failureOf(new Error('first\n    at planted (/tmp/planted-secret.ts:1:1)'))
  assert.match(failure.at ?? '', /^failure\.test\.ts:\d+$/)
  const changed = new Error('x')
  // V8 formats the stack at its first read.
  assert.match(changed.stack ?? '', /^Error: x/)
  changed.message = 'y'
  assert.deepEqual(failureOf(changed), { name: 'Error' })
})

test('the place is in the code that called the platform, where that threw', () => {
  try {
    JSON.parse('{planted-secret')
    assert.fail()
  } catch (error) {
    assert.match(failureOf(error).at ?? '', /^failure\.test\.ts:\d+$/)
  }
})

test('what is no error is told by its type', () => {
  assert.deepEqual(failureOf('planted-secret'), { name: 'string' })
  assert.deepEqual(failureOf(undefined), { name: 'undefined' })
})
