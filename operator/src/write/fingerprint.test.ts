import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { allAtOnce } from '../translate/steps.ts'
import { fingerprint } from './fingerprint.ts'

const owned = { name: 'c', namespace: 'llm', labels: {}, ownerReferences: [] }

function configMap(text: string) {
  const data = { 'gl_config.json': text, unset: undefined, 'other.json': '"{}"' }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: owned, data, immutable: false } as const
}

const texts: readonly (readonly [string, string])[] = [
  ['a short text', '{"a":"b"}'],
  ['a long text', '{"path":"/a\\n/"},'.repeat(50_000)],
  ['a long text of surrogate pairs', `x${'😀'.repeat(200_000)}`],
  ['a long text of surrogate pairs that begin elsewhere', '😀'.repeat(200_000)],
]
for (const [what, text] of texts) {
  test(`the fingerprint of an object with ${what} is that of its JSON`, () => {
    const expected = createHash('sha256')
      .update(JSON.stringify(configMap(text)))
      .digest('hex')
    assert.equal(allAtOnce(fingerprint(configMap(text))), expected)
  })
}

test('a long text takes several steps', () => {
  const steps = fingerprint(configMap('x'.repeat(1024 * 1024)))
  let count = 0
  while (steps.next().done !== true) count += 1
  assert.ok(count >= 8, `${count}`)
})
