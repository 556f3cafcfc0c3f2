import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spareMemory } from './spare-memory.ts'

test('services share a compile cache beside the code and have one heap each, unless the environment says otherwise', () => {
  const spared = { MALLOC_ARENA_MAX: '1', NODE_COMPILE_CACHE: '/app/node_modules/.cache/llm-gateway' }
  assert.deepEqual(spareMemory({ A: 'b' }, '/app'), { ...spared, A: 'b' })
  assert.deepEqual(spareMemory({ MALLOC_ARENA_MAX: '4', NODE_COMPILE_CACHE: '' }, '/app'), {
    MALLOC_ARENA_MAX: '4',
    NODE_COMPILE_CACHE: '',
  })
})
