import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerNetwork } from './caller-network.ts'

const NETWORKS = [
  ['10.0.0.7', '10.0.0.7'],
  ['::ffff:10.0.0.7', '::ffff:10.0.0.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8::2:3', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  [undefined, ''],
] as const

for (const [address, network] of NETWORKS)
  test(`the network of ${address ?? 'a closed connection'} is ${network === '' ? 'empty' : network}`, () => {
    assert.equal(callerNetwork(address), network)
  })
