import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Edit } from '@llm-gateway/gui-api'
import { applyEdit } from './apply-edit.ts'

const FILE = { routers: [{ path: '/a/' }] }
const NOWHERE: readonly Edit[] = [
  { op: 'remove', path: ['limits', 'json_depth'] },
  { op: 'remove', path: ['routers', 1, 'outbound'] },
  { op: 'move', path: ['hosts', 0], to: 1 },
  { op: 'move', path: ['routers', 1], to: 0 },
]

for (const edit of NOWHERE) {
  test(`${edit.op} at ${edit.path.join('.')}, which the file lacks, changes nothing`, () => {
    assert.deepEqual(applyEdit(FILE, edit), FILE)
  })
}

test('an insertion makes a missing list', () => {
  assert.deepEqual(applyEdit(FILE, { op: 'insert', path: ['hosts', 0], value: 'a' }), { ...FILE, hosts: ['a'] })
})

test('a set value gets the objects and lists above it', () => {
  const set: Edit = { op: 'set', path: ['routers', 1, 'outbound', 'url'], value: 'https://llm.example' }
  assert.deepEqual(applyEdit(FILE, set), {
    routers: [{ path: '/a/' }, { outbound: { url: 'https://llm.example' } }],
  })
})
