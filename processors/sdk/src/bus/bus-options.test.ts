import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busOptions, type ProcessorEnvironment } from './bus-options.ts'

// Rules: docs/reference/environment-variables.md#processors-and-sinks, docs/reference/processors.md

const LOCAL = { hostname: 'localhost', port: 4222 }

const CREDENTIALS: readonly (readonly [ProcessorEnvironment, object])[] = [
  [{}, { kind: 'none' }],
  [{ NATS_TOKEN: '' }, { kind: 'none' }],
  [{ NATS_TOKEN: 't' }, { kind: 'token', token: 't' }],
  [
    { NATS_TOKEN: 't', NATS_USER: 'u', NATS_PASSWORD: 'p' },
    { kind: 'user', user: 'u', password: 'p' },
  ],
  [
    { NATS_CREDS: 'a.creds', NATS_USER: 'u' },
    { kind: 'file', file: 'a.creds' },
  ],
]

test('NATS_CREDS, user and password, or NATS_TOKEN are the credentials', () => {
  for (const [environment, credentials] of CREDENTIALS) {
    assert.deepEqual(busOptions(environment), { address: LOCAL, credentials })
  }
})

test('a file names its token; NATS_TOKEN is for programs without one', () => {
  const environment = { NATS_TOKEN: 'environment' }
  assert.deepEqual(busOptions(environment, { token: 'file' })?.credentials, { kind: 'token', token: 'file' })
  assert.deepEqual(busOptions(environment, { token: '' })?.credentials, { kind: 'token', token: 'environment' })
})

test('GATEWAY_HOST is host or host:port, default localhost:4222, and wins over the file', () => {
  assert.deepEqual(busOptions({ GATEWAY_HOST: 'bus:1' }, { hostname: 'file' })?.address, { hostname: 'bus', port: 1 })
  assert.deepEqual(busOptions({ GATEWAY_HOST: '' }, { hostname: 'file' })?.address, { hostname: 'file', port: 4222 })
  assert.deepEqual(busOptions({})?.address, LOCAL)
  assert.equal(busOptions({ GATEWAY_HOST: 'token@bus' }), undefined)
})

test('NATS_CA_FILE, NATS_CERT_FILE and NATS_KEY_FILE switch bus TLS on', () => {
  assert.deepEqual(busOptions({ NATS_CA_FILE: 'ca.pem' })?.tls, { caFile: 'ca.pem' })
  const files = { NATS_CA_FILE: 'ca', NATS_CERT_FILE: 'cert', NATS_KEY_FILE: 'key' }
  assert.deepEqual(busOptions(files)?.tls, { caFile: 'ca', certFile: 'cert', keyFile: 'key' })
  assert.deepEqual(busOptions({}, { tls: { ca_file: 'file' } })?.tls, { caFile: 'file' })
  assert.equal(busOptions({})?.tls, undefined)
})
