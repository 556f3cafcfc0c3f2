import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillSecrets } from './fill-secrets.ts'

for (const name of ['NATS_TOKEN', 'GUI_SECRET']) {
  for (const [state, environment] of [
    ['unset', {}],
    ['empty', { [name]: '' }],
  ] as const) {
    test(`specification, authentication 4: ${name} that is ${state} becomes a random value, another one each time`, () => {
      const [first, second] = [fillSecrets(environment)[name], fillSecrets(environment)[name]]
      assert.match(first ?? '', /^[0-9a-f]{64}$/)
      assert.notEqual(first, second)
    })
  }
}

test('values that are set stay, and the two random ones differ', () => {
  const environment = fillSecrets({ PATH: '/bin', NATS_TOKEN: 'mine' })
  assert.deepEqual({ ...environment, GUI_SECRET: '' }, { PATH: '/bin', NATS_TOKEN: 'mine', GUI_SECRET: '' })
  const both = fillSecrets({})
  assert.notEqual(both.NATS_TOKEN, both.GUI_SECRET)
})
