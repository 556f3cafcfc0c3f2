import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig, parseGlConfig } from './check-gl-config.ts'

// Rules: docs/reference/configuration-rules.md#references, docs/reference/configuration-rules.md#reload

const [one, other] = ['V_0000000000000001', 'V_0000000000000002']
const router = (path: string, name: string, extra = {}) => ({
  path,
  outbound: { url: 'https://res.example/', headers: { 'Api-Key': [`\${${name}}`] } },
  ...extra,
})
const bytes = Buffer.from(JSON.stringify({ routers: [router('/a/', one), router('/b/', other)] }))
const environment = { [one]: 'from the environment' }

test('a delivery without all values is unfinished and lists the missing names', () => {
  const { kind, ...rest } = checkGlConfig(bytes, { environment, secrets: new Map([[other, 'key']]) })
  assert.equal(kind, 'unfinished')
  assert.deepEqual('missing' in rest && rest.missing, [one])
})

test('after the waiting time, routers without values are rejected and the others go live', () => {
  const references = { environment, secrets: new Map([[other, 'key']]) }
  const verdict = checkGlConfig(bytes, references, { acceptMissing: true })
  assert.ok(verdict.kind === 'checked')
  assert.deepEqual(
    verdict.config.routers.map(({ kind }) => kind),
    ['rejected', 'active', 'active'],
  )
  assert.deepEqual(verdict.config.rejectedFields, {
    'gl_config.Routers[0].Router.Outbound.Headers[Api-Key][0]': 'required:',
  })
})

test('an empty value counts as delivered and rejects its router', () => {
  const verdict = checkGlConfig(bytes, {
    environment: {},
    secrets: new Map([
      [one, ''],
      [other, 'k'],
    ]),
  })
  assert.ok(verdict.kind === 'checked')
  assert.deepEqual(
    verdict.config.routers.map(({ kind }) => kind),
    ['rejected', 'active', 'active'],
  )
})

test('without SECRETS_DIR no value counts as missing', () => {
  const verdict = checkGlConfig(bytes, { environment })
  assert.ok(verdict.kind === 'checked')
  assert.deepEqual(
    verdict.config.routers.map(({ kind }) => kind),
    ['active', 'rejected', 'active'],
  )
})

test('the values of a disabled router are not waited for; those of a setting are', () => {
  const disabled = Buffer.from(JSON.stringify({ routers: [router('/a/', one, { disabled: true })] }))
  assert.equal(checkGlConfig(disabled, { environment: {}, secrets: new Map() }).kind, 'checked')
  const setting = Buffer.from(JSON.stringify({ routers: [], service_bus: { token: `\${${one}}` } }))
  assert.equal(checkGlConfig(setting, { environment: {}, secrets: new Map() }).kind, 'unfinished')
})

test('the fingerprint changes with the bytes and with every referenced value, and with nothing else', () => {
  const file = Buffer.from(JSON.stringify({ gateway_id: '${ID}', routers: [router('/a/', 'KEY')] }))
  const before = { environment: { ID: 'GATEWAY1', KEY: 'k', NATS_TOKEN: 't', OTHER: 'x' } }
  const set = (change: Readonly<Record<string, string | undefined>>) => ({
    environment: { ...before.environment, ...change },
  })
  const print = fingerprintOf(file, before)
  for (const change of [{ KEY: 'l' }, { KEY: '' }, { KEY: undefined }, { ID: 'GATEWAY2' }, { NATS_TOKEN: 'u' }]) {
    assert.notEqual(fingerprintOf(file, set(change)), print, JSON.stringify(change))
  }
  assert.notEqual(fingerprintOf(file, set({ KEY: '' })), fingerprintOf(file, set({ KEY: undefined })))
  assert.equal(fingerprintOf(file, set({ OTHER: 'y' })), print)
  assert.notEqual(fingerprintOf(Buffer.concat([file, Buffer.from(' ')]), before), print)
  const verdict = checkGlConfig(file, before)
  assert.equal(verdict.kind, 'checked')
})

test('a file without routers is reloaded when a value of the default routers changes', () => {
  const print = (AISERVICE_API_BASE: string) =>
    fingerprintOf(Buffer.from('{}'), { environment: { AISERVICE_API_BASE } })
  assert.notEqual(print('http://a'), print('http://b'))
})

function fingerprintOf(...file: Parameters<typeof parseGlConfig>): string {
  return parseGlConfig(...file).fingerprint
}
