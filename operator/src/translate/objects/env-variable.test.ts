import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envVariable } from './pod-template.ts'

// Rules: docs/reference/kubernetes.md#variables

/** Expands references as Kubernetes does in a container's environment. */
function expanded(value: string): string {
  return value.replaceAll(/\$\$|\$\(([^)]*)\)/g, (match) => (match === '$$' ? '$' : 'EXPANDED'))
}

for (const text of ['plain', '$5', '$(NATS_TOKEN)', '$$(NATS_TOKEN)', '$$$(A) $', '$$', 'a$b$$c', '']) {
  test(`the text ${JSON.stringify(text)} arrives as it was written`, () => {
    assert.equal(expanded(String(Object.values(envVariable({ name: 'A', value: text }))[1])), text)
  })
}

test('a reference to a Secret or ConfigMap is kept as it is', () => {
  const valueFrom = { secretKeyRef: { name: 's', key: 'k' } }
  assert.deepEqual(envVariable({ name: 'A', valueFrom }), { name: 'A', valueFrom })
})
