import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageBlock } from './message-block.ts'
import { MessageSize } from './message-size.ts'

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
      const block = new MessageBlock(TOOL, size)
      for (const piece of pieces) block.take(input(piece))
      if (isStopped) block.stop()
      assert.ok(size.memoryBytes > 0)
      block.clear()
      assert.equal(size.memoryBytes, 0)
      block.clear()
      assert.equal(size.memoryBytes, 0)
    })
  }
}

test('an input keeps its numbers, the order of its keys and the spaces in its strings', () => {
  const block = new MessageBlock(TOOL, new MessageSize())
  block.take(input('{"id": 1234567890123456789, "n" : 1.0, '))
  block.take(input('"2": 1e400,\t"1": "a \\" b\\\\", "t": [ ]}\n'))
  block.stop()
  const expected = '{"id":1234567890123456789,"n":1.0,"2":1e400,"1":"a \\" b\\\\","t":[]}'
  const json = block.finish(true).toBuffer().toString()
  assert.ok(json.endsWith(`"input":${expected}}`), json)
})
