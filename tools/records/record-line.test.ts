import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecordLine } from './record-line.ts'

const RECORD =
  '{"response":{"gl_path":"/pool/gpt4/","n":3,"empty":"","lines":"a\\nb","list":[{"x":1}],"none":null},\n"session_id":"A_1_2_0"}'

const cases: ReadonlyArray<readonly [field: string, shown: string]> = [
  ['response.gl_path', '/pool/gpt4/'],
  ['session_id', 'A_1_2_0'],
  ['response.n', '3'],
  ['response.empty', '""'],
  ['response.lines', '"a\\nb"'],
  ['response.list[0]', '{"x":1}'],
  ['response.list.0.x', '1'],
  ['response.none', 'null'],
  ['response.absent', '-'],
  ['', RECORD.replace('\n', ' ')],
]
for (const [field, shown] of cases) {
  test(`the field "${field}" of a record is shown as ${shown.slice(0, 30)}`, () => {
    assert.equal(createRecordLine(field)(Buffer.from(RECORD)), shown)
  })
}

test('a line that is no record shows no field', () => {
  assert.equal(createRecordLine('a')(Buffer.from('not json')), '-')
})

test('no field and no record sends control characters to a terminal', () => {
  const record = Buffer.from('{"response":{"gl_path":"\u009b2J\u202e/x/","raw":"\u001b[2J","\u009b":1}}')
  for (const field of ['', 'response', 'response.gl_path', 'response.raw'])
    assert.match(createRecordLine(field)(record), /^[\x20-\x7e]+$/, field)
})
