import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidate } from './candidate.ts'

test('kubernetes 1, 5: two operators share a cluster: each class has a lease of its own', () => {
  const lease = (gatewayClass: string) => candidate({ POD_NAMESPACE: 'ops' }, 'x', gatewayClass).lease
  assert.deepEqual(lease('default'), { namespace: 'ops', name: 'llm-gateway-operator' })
  assert.deepEqual(lease('team-b'), { namespace: 'ops', name: 'llm-gateway-operator-team-b' })
})

test('kubernetes 5: a pod stands for itself by name, another process by a name that nobody else has', () => {
  assert.equal(candidate({ POD_NAME: 'operator-0' }, 'x', 'default').identity, 'operator-0')
  assert.match(candidate({}, 'x', 'default').identity, /^.+_x$/)
  assert.equal(candidate({}, 'x', 'default').lease.namespace, 'llm-gateway-system')
})
