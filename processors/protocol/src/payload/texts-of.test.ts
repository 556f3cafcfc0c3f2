import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERS_UNDER_TEST, REQUESTS_UNDER_TEST } from './dialects-under-test.ts'
import { answerTexts, type PayloadText, requestTexts } from './texts-of.ts'
import { usageOf } from './usage-of.ts'

const textsOf = (found: readonly PayloadText[]) => found.map(({ text }) => text)

for (const { dialect, payload, texts } of ANSWERS_UNDER_TEST) {
  test(`texts of an answer: ${dialect}`, () => assert.deepEqual(textsOf(answerTexts(payload)), texts))
}

for (const { dialect, payload, texts } of REQUESTS_UNDER_TEST) {
  test(`texts of a request: ${dialect}`, () => assert.deepEqual(textsOf(requestTexts(payload)), texts))
}

test('texts of tools are distinguished from written texts', () => {
  const message = { content: 'Hi', tool_calls: [{ function: { arguments: '{}' } }] }
  const texts = [
    { kind: 'written', text: 'Hi' },
    { kind: 'tool', text: '{}' },
  ]
  assert.deepEqual(answerTexts({ choices: [{ message }] }), texts)
  assert.deepEqual(answerTexts(`data: ${JSON.stringify({ choices: [{ delta: message }] })}\n`), texts)
})

/** Replacements of other types for each value of each payload. */
const WRONG = [null, 7, true, '', [], {}, [[[]]], [null], { content: { content: 7 } }, ['x', { text: { text: [] } }]]

function* broken(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    const replaced = (other: unknown): unknown =>
      Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }
    for (const wrong of WRONG) yield replaced(wrong)
    for (const other of broken(member)) yield replaced(other)
  }
}

test('payloads with wrong types in any place cause no error', () => {
  let tried = 0
  for (const { payload } of [...ANSWERS_UNDER_TEST, ...REQUESTS_UNDER_TEST]) {
    for (const other of broken(payload)) {
      usageOf(other)
      for (const { text } of [...answerTexts(other), ...requestTexts(other)]) assert.equal(typeof text, 'string')
      tried += 1
    }
  }
  assert.ok(tried > 1_000, `${tried}`)
})

test('a payload nested 100,000 deep gives its text', () => {
  const nested = (open: string, close: string) => JSON.parse(`${open.repeat(100_000)}"deep"${close.repeat(100_000)}`)
  for (const deep of [nested('[', ']'), nested('{"content":', '}'), nested('{"thinking":', '}')]) {
    assert.deepEqual(textsOf(requestTexts({ messages: deep })), ['deep'])
    assert.deepEqual(textsOf(answerTexts({ choices: deep })), ['deep'])
    assert.deepEqual(textsOf(answerTexts({ choices: [{ function: { arguments: deep } }] })), [''])
    assert.equal(usageOf({ usage: deep }), undefined)
  }
})
