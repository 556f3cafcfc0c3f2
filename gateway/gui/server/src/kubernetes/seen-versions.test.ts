import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenVersions } from './seen-versions.ts'

const seen = { uid: 'u', resourceVersion: '1', generation: 1, labels: { a: 'b' } }

for (const [change, metadata, isSame] of [
  ['of the status', {}, true],
  ['of an annotation of another program', { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } }, true],
  ['of an annotation of the product', { annotations: { 'llmgateway.io/paused': 'true' } }, false],
  ['of a label', { labels: { a: 'c' } }, false],
  ['of the spec', { generation: 2 }, false],
  ['by a new resource of the same name', { uid: 'v' }, false],
] as const) {
  test(`a change ${change} ${isSame ? 'leaves the version that a person saw' : 'makes another version'}`, () => {
    const versions = new SeenVersions()
    versions.add({ metadata: seen })
    assert.equal(versions.isSame('1', { metadata: { ...seen, resourceVersion: '2', ...metadata } }), isSame)
  })
}
