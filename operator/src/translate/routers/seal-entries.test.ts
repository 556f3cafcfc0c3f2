import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRouters } from '@llm-gateway/conf'
import { allAtOnce } from '../steps.ts'
import { heldEntry } from './build-entry.ts'
import { sealEntries } from './seal-entries.ts'

const outbound = { url: 'https://res.example/', endpoint: '', headers: { 'Api-Key': ['key'] } }
const entry = { path: '/a/', ingress: { headers: {} }, outbound }
const built = { entry, tenant: 'team-a', values: new Map([['V_0123456789abcdef', 'x']]), sources: [], problems: [] }

test('an entry that only holds its path has the size of the gateway’s own check', () => {
  const [sealed] = allAtOnce(sealEntries([built], new WeakMap()))
  assert.ok(sealed)
  const { held } = sealed
  assert.equal(held.text, JSON.stringify(heldEntry('/a/')))
  assert.deepEqual([held.size], checkRouters([heldEntry('/a/')], { environment: {} }).sizes)
  assert.deepEqual([held.tenant, held.values], ['team-a', []])
})

test('the held form of an entry is made with its seal, so that a full file makes none again', () => {
  const memory = new WeakMap()
  const [first, second] = [1, 2].flatMap(() => allAtOnce(sealEntries([built], memory)))
  assert.ok(first && second)
  assert.equal(first.held, second.held)
})

test('no step looks at more entries than the gateway’s check takes at once', () => {
  let seen = 0
  const entryAt = (index: number) => ({
    get entry() {
      seen += 1
      return { ...entry, path: `/${'x'.repeat(500)}${index}/` }
    },
    values: new Map(),
    sources: [],
    problems: [],
  })
  const many = Array.from({ length: 1_000 }, (_, index) => entryAt(index))
  const steps = sealEntries(many, new WeakMap())
  steps.next()
  assert.ok(seen > 0 && seen < many.length, `${seen}`)
})
