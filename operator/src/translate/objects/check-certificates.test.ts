import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { TOO_LONG } from '../../kube/decode.ts'
import type { Source } from '../../model/snapshot.ts'
import { snapshotOf } from '../golden-input-under-test.ts'
import { translate } from '../translate.ts'
import { badCertificate, judgeAuthorities } from './check-certificates.ts'
import { certificateKeys } from './tls.ts'

// Rules: docs/reference/configuration-rules.md#tls-settings

const LIST = rootCertificates.join('\n')
const FILLED = `${'\n'.repeat(400 * 1024)}${rootCertificates[0]}`
const LONG = `${'\n'.repeat(600 * 1024)}${rootCertificates[0]}`

test('authorities beyond the gateway’s limit are named, and no pod reads their files', () => {
  const names = ['list', 'filled', 'small']
  const caRefs = names.map((name) => ({ kind: 'ConfigMap', name, key: 'ca.crt' }))
  const texts = [LIST, FILLED, rootCertificates[1] ?? '']
  const sources = Object.fromEntries(
    names.map((name, index) => [`llm/ConfigMap/${name}`, { values: { 'ca.crt': texts[index] } }]),
  )
  const snapshot = snapshotOf({ gateway: { spec: { tls: { outbound: { caRefs } } } }, sources })
  const details = judgeAuthorities(snapshot.gateway, snapshot.sources).bad.map(({ detail }) => detail)
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

const TLS_KEYS = certificateKeys({ field: 'tls.ingress.secretRef', namespace: 'llm', name: 'own' })

test('a chain beyond the limit of authorities is refused before it is read', () => {
  const chain = Array.from({ length: 401 }, () => rootCertificates[0]).join('\n')
  for (const text of [chain, LONG, TOO_LONG]) {
    const values = new Map(Object.entries({ 'tls.crt': text, 'tls.key': 'k' }))
    const sources = new Map([['llm/Secret/own', { kind: 'found', type: '', values } as const]])
    assert.match(
      badCertificate(TLS_KEYS, sources)[0]?.detail ?? '',
      /Secret llm\/own: tls\.crt exceeds the limit of 512 KiB and 400 certificates/,
    )
  }
})

test('the certificate of an unchanged Secret is judged once, and that of a changed Secret again', () => {
  const values = new Map(Object.entries({ 'tls.crt': LIST, 'tls.key': 'k' }))
  const secret: Source = { kind: 'found', type: '', values }
  const detailOf = (source: Source) => badCertificate(TLS_KEYS, new Map([['llm/Secret/own', source]]))[0]?.detail ?? ''
  assert.match(detailOf(secret), /tls\.key holds no private key/)
  values.set('tls.crt', 'other')
  assert.match(detailOf(secret), /tls\.key holds no private key/)
  assert.match(detailOf({ ...secret }), /tls\.crt holds no PEM certificate/)
})

/** Values of a ConfigMap that count how often they are read. */
class CountedValues extends Map<string, string> {
  reads = 0
  override get(key: string): string | undefined {
    this.reads += 1
    return super.get(key)
  }
}

test('a translation judges the authorities once, however many sinks mount them', () => {
  const readsWith = (sinks: object): number => {
    const values = new CountedValues([['ca.crt', LIST]])
    const caRefs = [{ kind: 'ConfigMap', name: 'list', key: 'ca.crt' }]
    const { gateway } = snapshotOf({ gateway: { spec: { record: { sinks }, tls: { outbound: { caRefs } } } } })
    const sources = new Map([['llm/ConfigMap/list', { kind: 'found', type: '', values } as const]])
    translate({ ...snapshotOf({}), gateway, sources })
    return values.reads
  }
  const rest = { url: 'https://records.example/' }
  // Each template asks once whether its references exist.
  assert.equal(readsWith({ rest, elastic: { url: 'https://elastic.example', index: 'llm' } }) - readsWith({}), 2)
})
