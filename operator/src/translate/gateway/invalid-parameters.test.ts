import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snapshotOf } from '../golden-input-under-test.ts'
import { invalidParameters } from './invalid-parameters.ts'

// Rules: docs/reference/kubernetes.md#conditions

for (const server of ['-nats:4222', '.nats', 'nats:0', 'nats:65536']) {
  test(`an external bus at ${server} is refused, since the gateway refuses a file with it`, () => {
    const bus = { type: 'External', servers: [server], tokenSecretRef: { name: 'nats', key: 'token' } }
    const faults = invalidParameters(snapshotOf({ gateway: { spec: { bus } } }).gateway)
    assert.deepEqual(faults, [`bus.servers: ${server} is not an address of a bus`])
  })
}
