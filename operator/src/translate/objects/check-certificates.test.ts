import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { snapshotOf } from '../golden-input-under-test.ts'
import { translate } from '../translate.ts'
import { badAuthorities } from './check-certificates.ts'

// Rules: docs/reference/configuration-rules.md#tls-settings

const LIST = rootCertificates.join('\n')
const FILLED = `${'\n'.repeat(400 * 1024)}${rootCertificates[0]}`

test('authorities beyond the gateway’s limit are named, and no pod reads their files', () => {
  const names = ['list', 'filled', 'small']
  const caRefs = names.map((name) => ({ kind: 'ConfigMap', name, key: 'ca.crt' }))
  const texts = [LIST, FILLED, rootCertificates[1] ?? '']
  const sources = Object.fromEntries(
    names.map((name, index) => [`llm/ConfigMap/${name}`, { values: { 'ca.crt': texts[index] } }]),
  )
  const snapshot = snapshotOf({ gateway: { spec: { tls: { outbound: { caRefs } } } }, sources })
  const details = badAuthorities(snapshot.gateway, snapshot.sources).map(({ detail }) => detail)
  assert.equal(details.length, 1)
  assert.match(
    details[0] ?? '',
    /caRefs\[1\]: ConfigMap llm\/filled: ca\.crt exceeds the limit of 512 KiB and 400 cert/,
  )
  const { glConfig } = translate(snapshot)
  assert.deepEqual(JSON.parse(glConfig).tls.outbound.cert_files, [
    '/etc/llm-gateway-ca/0.crt',
    '/etc/llm-gateway-ca/2.crt',
  ])
})
