import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryEnvironment } from './memory-environment.ts'

test('services get a shared compile cache and one heap each, unless the environment sets the variables', () => {
  const spared = { MALLOC_ARENA_MAX: '1', NODE_COMPILE_CACHE: '/app/node_modules/.cache/llm-gateway' }
  assert.deepEqual(memoryEnvironment({ A: 'b' }, '/app'), { ...spared, A: 'b' })
  assert.deepEqual(memoryEnvironment({ MALLOC_ARENA_MAX: '4', NODE_COMPILE_CACHE: '' }, '/app'), {
    MALLOC_ARENA_MAX: '4',
    NODE_COMPILE_CACHE: '',
  })
})
