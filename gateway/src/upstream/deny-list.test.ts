import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDenyList } from './deny-list.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api, docs/reference/kubernetes.md#trust

const cases: readonly (readonly [cidr: string, address: string, denied: boolean])[] = [
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['10.0.0.0/8', '[::ffff:a01:203]', true],
  ['10.0.0.0/8', '0:0:0:0:0:ffff:0a01:0203', true],
  ['10.0.0.0/8', '::ffff:11.1.2.3', false],
  ['10.0.0.0/8', '64:ff9b::10.1.2.3', true],
  ['10.0.0.0/8', '[64:ff9b::a01:203]', true],
  ['10.0.0.0/8', '64:ff9b::b01:203', false],
  ['169.254.169.254/32', '169.254.169.254', true],
  ['127.0.0.0/8', '0.0.0.0', true],
  ['127.0.0.0/8', '::', true],
  ['::1/128', '::1', true],
  ['::1/128', '[::]', true],
  ['fc00::/7', 'fd12::1', true],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['fc00::/7', '10.0.0.1', false],
  ['0.0.0.0/0', '::ffff:1.2.3.4', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['10.0.0.0/8', 'ten.example', false],
]

for (const [cidr, address, denied] of cases) {
  test(`outbound_deny: ${cidr} ${denied ? 'denies' : 'leaves'} ${address}`, () => {
    assert.equal(createDenyList([cidr])?.denies(address), denied)
  })
}

test('outbound_deny: a host name is denied if one of its addresses is denied', async () => {
  const denied = { code: 'UPSTREAM_DENIED' }
  await assert.rejects(createDenyList(['127.0.0.0/8', '::1/128'])?.resolve('localhost') ?? Promise.resolve(), denied)
  assert.match((await createDenyList(['10.0.0.0/8'])?.resolve('localhost')) ?? '', /^(127\.0\.0\.1|::1)$/)
})

test('the addresses that many connections get of one name are checked once', () => {
  let reads = 0
  const read = (address: string): string => {
    reads += 1
    return address
  }
  const addresses = ['192.0.2.1', '10.1.2.3'].map((address) => ({
    get address() {
      return read(address)
    },
    family: 4,
  }))
  const list = createDenyList(['10.0.0.0/8'], new Set(), (_, __, answered) => answered(null, addresses))
  const codes: unknown[] = []
  for (let connections = 0; connections < 24; connections += 1)
    list?.lookup('ten.example', { all: true }, (error) => codes.push(error?.code))
  assert.deepEqual([codes.length, new Set(codes), reads], [24, new Set(['UPSTREAM_DENIED']), 2])
})

test('a denied loopback also denies other addresses of this machine', () => {
  const own = new Set(['10.1.2.3', 'fd12::1'])
  const denies = (cidr: string) =>
    ['10.1.2.3', 'fd12::1', '::ffff:10.1.2.3', '10.1.2.4'].map((address) =>
      createDenyList([cidr], own)?.denies(address),
    )
  assert.deepEqual(denies('127.0.0.0/8'), [true, true, true, false])
  assert.deepEqual(denies('::1/128'), [true, true, false, false])
  assert.deepEqual(denies('169.254.0.0/16'), [false, false, false, false])
})

test('an empty outbound_deny creates no deny list', () => assert.equal(createDenyList([]), undefined))
