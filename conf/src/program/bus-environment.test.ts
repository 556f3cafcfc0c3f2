import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busEnvironment, isBus } from './bus-environment.ts'

test('only the secrets that the bus reads are quoted', () => {
  const environment = {
    NATS_TOKEN: '4k',
    READERS_BUS_PASSWORD: 'a"b',
    BUS_LEAF_URL: 'nats://x',
    GUI_SECRET: '1',
    PATH: '/bin',
  }
  assert.deepEqual(busEnvironment(environment), {
    ...environment,
    NATS_TOKEN: '"4k"',
    READERS_BUS_PASSWORD: '"a\\"b"',
    BUS_LEAF_URL: '"nats://x"',
  })
  assert.deepEqual(busEnvironment({ PATH: '/bin' }), { PATH: '/bin' })
})

test('a service is the bus if its program is nats-server, in any folder', () => {
  assert.deepEqual(['nats-server', '/opt/bin/nats-server', 'gateway/src/main.ts', 'nats-server/main.ts'].map(isBus), [
    true,
    true,
    false,
    false,
  ])
})
