import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJsonEngine } from '../json/json-scan.ts'
import { MessageBlock } from './message-block.ts'
import { MessageSize } from './message-size.ts'

const engine = createJsonEngine()
const TOOL = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }

function input(json: string): { type: string; partial_json: string } {
  return { type: 'input_json_delta', partial_json: json }
}

const INPUTS: readonly (readonly [title: string, pieces: readonly string[]])[] = [
  ['a parsed input', ['{"city":', '"Berlin"}']],
  ['an input that is not JSON', ['{"city":']],
  ['an input above a mebibyte', [`"${'x'.repeat(1024 * 1024)}"`]],
  ['no input', []],
]

for (const [title, pieces] of INPUTS) {
  for (const isStopped of [true, false]) {
    test(`a block with ${title} that was replaced ${isStopped ? 'after' : 'before'} its end counts as nothing`, () => {
      const size = new MessageSize()
      const block = new MessageBlock(TOOL, size, engine)
      for (const piece of pieces) block.take(input(piece))
      if (isStopped) block.stop(true)
      assert.ok(size.memoryBytes > 0)
      block.clear()
      assert.equal(size.memoryBytes, 0)
      block.clear()
      assert.equal(size.memoryBytes, 0)
    })
  }
}

test('an input keeps its numbers, the order of its keys and the spaces in its strings', () => {
  const block = new MessageBlock(TOOL, new MessageSize(), engine)
  block.take(input('{"id": 1234567890123456789, "n" : 1.0, '))
  block.take(input('"2": 1e400,\t"1": "a \\" b\\\\", "t": [ ]}\n'))
  block.stop(true)
  const expected = '{"id":1234567890123456789,"n":1.0,"2":1e400,"1":"a \\" b\\\\","t":[]}'
  const json = block.toJson().toBuffer().toString()
  assert.ok(json.endsWith(`"input":${expected}}`), json)
})

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

for (const [title, text, isJson] of [
  ['of 500 levels', nested(500), true],
  ['of 501 levels', nested(501), false],
  ['of 150,000 values', `[${'0,'.repeat(150_000)}0]`, true],
  ['that is cut', '{"city":', false],
  ['of more than a mebibyte', `"${'x'.repeat(1024 * 1024)}"`, false],
] as const) {
  test(`an input ${title} ${isJson ? 'becomes JSON' : 'stays a text'}`, () => {
    const block = new MessageBlock(TOOL, new MessageSize(), engine)
    block.take(input(text))
    block.stop(true)
    assert.deepEqual(JSON.parse(block.toJson().toBuffer().toString()).input, isJson ? JSON.parse(text) : text)
  })
}
