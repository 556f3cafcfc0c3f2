import assert from 'node:assert/strict'
import { constants } from 'node:os'
import { test } from 'node:test'
import { errorCode, failureOf } from './failure.ts'

test('an error is logged with its name, its code and its source line, never with its message', () => {
  const failure = failureOf(new TypeError('planted-secret'))
  assert.equal(failure.name, 'TypeError')
  assert.match(failure.at ?? '', /^failure\.test\.ts:\d+$/)
  assert.doesNotMatch(JSON.stringify(failure), /planted/)
  assert.equal(failureOf(Object.assign(new Error('x'), { code: 'ENOENT' })).code, 'ENOENT')
})

test('a message that looks like a stack trace is not read as a source line', () => {
  const failure = failureOf(new Error('first\n    at planted (/tmp/planted-secret.ts:1:1)'))
  assert.match(failure.at ?? '', /^failure\.test\.ts:\d+$/)
  const changed = new Error('x')
  // V8 formats the stack at its first read.
  assert.match(changed.stack ?? '', /^Error: x/)
  changed.message = 'y'
  assert.deepEqual(failureOf(changed), { name: 'Error' })
})

test('the source line is in our code when a function of Node throws', () => {
  try {
    JSON.parse('{planted-secret')
    assert.fail()
  } catch (error) {
    assert.match(failureOf(error).at ?? '', /^failure\.test\.ts:\d+$/)
  }
})

test('a thrown value that is not an Error is logged by its type', () => {
  assert.deepEqual(failureOf('planted-secret'), { name: 'string' })
  assert.deepEqual(failureOf(undefined), { name: 'undefined' })
})

test('an error of the system that Node has no name for gets the name of its number', () => {
  // Node's table lacks EDQUOT, the error of a used-up disk quota.
  const errno = -constants.errno.EDQUOT
  const full = Object.assign(new Error('x'), { code: `Unknown system error ${errno}`, errno })
  assert.equal(errorCode(full), 'EDQUOT')
  const foreign = Object.assign(new Error('x'), { code: 'Unknown system error -9999', errno: -9999 })
  assert.equal(errorCode(foreign), 'Unknown system error -9999')
})
