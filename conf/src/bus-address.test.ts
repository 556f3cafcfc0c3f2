import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBusAddress } from './bus-address.ts'

// Rules: docs/reference/processors.md, docs/reference/gl-config.md#service_bus-hostname

const ADDRESSES: readonly (readonly [string, string | undefined, number])[] = [
  ['localhost', 'localhost', 4222],
  ['localhost:4222', 'localhost', 4222],
  ['gateway-bus.team-a.svc:14222', 'gateway-bus.team-a.svc', 14_222],
  [' nats ', 'nats', 4222],
  ['127.0.0.1:1', '127.0.0.1', 1],
  ['[::1]:4223', '::1', 4223],
  ['[::1]', '::1', 4222],
]

const REFUSED = [
  '',
  ' ',
  'token@host:4222',
  'u:p@host',
  'host:',
  'host:0',
  'host:65536',
  'host:4222/x',
  '::1',
  'a b',
  'nats://h',
  '-nats:4222',
  '[::1',
  '[1.2.3]',
  '[::1::]:4222',
]

test('a bus address is host, host:port or [v6]:port, port 4222 by default', () => {
  for (const [text, hostname, port] of ADDRESSES) assert.deepEqual(parseBusAddress(text), { hostname, port }, text)
})

test('an address with user-info or anything else in it is refused', () => {
  for (const text of REFUSED) assert.equal(parseBusAddress(text), undefined, text)
})
