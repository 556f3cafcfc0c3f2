import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidate } from './candidate.ts'

const DEFAULT = { gatewayClass: 'default', leaseName: undefined }

test('operators of two classes in one cluster have a Lease each', () => {
  const lease = (gatewayClass: string) =>
    candidate({ POD_NAMESPACE: 'ops' }, 'x', { gatewayClass, leaseName: undefined }).lease
  assert.deepEqual(lease('default'), { namespace: 'ops', name: 'llm-gateway-operator' })
  assert.deepEqual(lease('team-b'), { namespace: 'ops', name: 'llm-gateway-operator-team-b' })
})

test('the identity of a pod is its name; any other process has a unique identity', () => {
  assert.equal(candidate({ POD_NAME: 'operator-0' }, 'x', DEFAULT).identity, 'operator-0')
  assert.match(candidate({}, 'x', DEFAULT).identity, /^.+_x$/)
  assert.equal(candidate({}, 'x', DEFAULT).lease.namespace, 'llm-gateway-system')
})

test('the namespace comes from the service account, the name of the Lease from the options, whatever the installation is called', () => {
  const env = { accountNamespace: 'platform' }
  assert.equal(candidate(env, 'x', DEFAULT).lease.namespace, 'platform')
  assert.equal(candidate({ ...env, POD_NAMESPACE: 'ops' }, 'x', DEFAULT).lease.namespace, 'ops')
  const named = { gatewayClass: 'team-b', leaseName: 'our-release' }
  assert.deepEqual(candidate(env, 'x', named).lease, { namespace: 'platform', name: 'our-release' })
})
