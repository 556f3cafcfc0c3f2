import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseImageName } from './image-name.ts'

const NAMES: readonly (readonly [text: string, full: string | undefined, tag?: string])[] = [
  ['llm-gateway:0.1.0', 'docker.io/library/llm-gateway:0.1.0', '0.1.0'],
  ['team/llm-gateway:e2e', 'docker.io/team/llm-gateway:e2e', 'e2e'],
  ['registry.example/team/llm-gateway:1', 'registry.example/team/llm-gateway:1', '1'],
  ['localhost/llm-gateway:1', 'localhost/llm-gateway:1', '1'],
  ['localhost:5000/llm-gateway:1', 'localhost:5000/llm-gateway:1', '1'],
  ['llm-gateway', undefined],
  ['LLM:1', undefined],
  ['llm-gateway:', undefined],
  ['llm-gateway:a b', undefined],
  ['', undefined],
]

test('a name without a host is completed as by a kubelet, and a text that is no name with a tag is refused', () => {
  for (const [text, full, tag] of NAMES) {
    const expected = full === undefined ? undefined : { short: text, full, tag }
    assert.deepEqual(parseImageName(text), expected, text)
  }
})
