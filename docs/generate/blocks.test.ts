import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOf } from './blocks.ts'

test('a block without a closing fence ends with the page', () => {
  const blocks = blocksOf('a.md', 'Text\n\n```sh\nls\n```\n\n```json gl_config\n{}')
  assert.deepEqual(blocks, [
    { page: 'a.md', line: 3, kind: 'sh', text: 'ls' },
    { page: 'a.md', line: 7, kind: 'json gl_config', text: '{}' },
  ])
})
