import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillSecrets } from './fill-secrets.ts'

// Rules: docs/reference/environment-variables.md#secrets-and-addresses,
// docs/reference/configuration-rules.md#tls-of-the-bus

for (const name of ['NATS_TOKEN', 'GUI_SECRET']) {
  for (const [state, environment] of [
    ['unset', {}],
    ['empty', { [name]: '' }],
  ] as const) {
    test(`${name} that is ${state} becomes a new random value each time`, () => {
      const [first, second] = [fillSecrets(environment)[name], fillSecrets(environment)[name]]
      assert.match(first ?? '', /^[0-9a-f]{64}$/)
      assert.notEqual(first, second)
    })
  }
}

test('set values are kept, and all random values differ', () => {
  const set = { PATH: '/bin', NATS_TOKEN: 'mine', BUS_LEAF_URL: 'nats://elsewhere' }
  const { PATH, NATS_TOKEN, BUS_LEAF_URL } = fillSecrets(set)
  assert.deepEqual({ PATH, NATS_TOKEN, BUS_LEAF_URL }, set)
  const filled = fillSecrets({})
  assert.equal(new Set([filled.NATS_TOKEN, filled.GUI_SECRET, filled.BUS_LEAF_PASSWORD]).size, 3)
})

test('the leaf server’s address contains the hub server’s password', () => {
  assert.equal(fillSecrets({ BUS_LEAF_PASSWORD: 'a/b' }).BUS_LEAF_URL, 'nats://leaf:a%2Fb@127.0.0.1:7422')
})

test('GENERATED_SECRETS lists the names of generated secrets', () => {
  assert.equal(
    fillSecrets({ BUS_LEAF_PASSWORD: 'a', GENERATED_SECRETS: 'OTHER' }).GENERATED_SECRETS,
    'NATS_TOKEN,GUI_SECRET',
  )
  const given = { NATS_TOKEN: 'a', GUI_SECRET: 'b', BUS_LEAF_PASSWORD: 'c', GENERATED_SECRETS: 'GUI_SECRET' }
  assert.equal(fillSecrets(given).GENERATED_SECRETS, '')
})
