import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stackTop } from './log-fault.ts'

test('the innermost calls of an error are named without its message, which may quote a payload', () => {
  const messages = ['', 'one line', 'Unexpected token:\n"secret",\n x', 'a call in it\n    at secret (file:1:1)\n']
  for (const message of messages) {
    const calls = stackTop(new Error(message)) ?? []
    assert.equal(calls.length, 3, message)
    assert.match(calls[0] ?? '', /^at .*log-fault\.test\.ts:\d+:\d+/)
    assert.doesNotMatch(calls.join(), /secret/)
  }
})

test('a changed message and a value that is no error name no payload', () => {
  const changed = new Error('a\nsecret')
  Object.defineProperty(changed, 'message', { value: 'other' })
  assert.doesNotMatch((stackTop(changed) ?? []).join(), /secret/)
  assert.equal(stackTop('secret'), undefined)
})
