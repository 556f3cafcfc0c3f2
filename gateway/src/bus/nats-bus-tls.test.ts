import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { busUnderTest, connected } from './bus-under-test.ts'

// Rules: docs/reference/configuration-rules.md#tls-of-the-bus

test('the bus’s certificate is verified by name and authority, and our certificate is sent', async () => {
  await using authority = await createAuthority()
  await using stranger = await createAuthority('another authority')
  const [own, client, otherName] = await Promise.all([
    authority.issue('server'),
    authority.issue('client'),
    authority.issue('other', { alternativeNames: ['DNS:elsewhere.example'] }),
  ])
  const tls = (files: typeof own): string =>
    `tls { cert_file: "${files.certificateFile}", key_file: "${files.privateKeyFile}", ca_file: "${authority.certificateFile}", verify: true }`
  await using server = await startNatsServer({ extra: tls(own) })
  await using misnamed = await startNatsServer({ extra: tls(otherName) })
  await using plain = await startNatsServer()

  const ours = { certFile: client.certificateFile, keyFile: client.privateKeyFile }
  const caFile = authority.certificateFile
  for (const hostname of ['127.0.0.1', 'localhost']) {
    await using bus = busUnderTest({ ...server, hostname }, { tls: { ...ours, caFile } })
    await connected(bus)
    assert.equal(await bus.flush(), true)
  }
  const refused = [
    { what: 'an unknown authority', at: server, tls: { ...ours, caFile: stranger.certificateFile } },
    { what: 'no certificate of ours', at: server, tls: { caFile } },
    { what: 'another name', at: misnamed, tls: { ...ours, caFile } },
    { what: 'no TLS at all', at: plain, tls: { ...ours, caFile } },
    { what: 'a missing file', at: server, tls: { ...ours, caFile: '/nowhere/ca.pem' } },
  ]
  for (const { what, at, tls: files } of refused) {
    await using bus = busUnderTest({ ...at, hostname: 'localhost' }, { tls: files })
    const { fields } = await bus.lines.waitFor((line) => line.msg === 'bus not available')
    assert.equal(bus.connected, false, what)
    if (what !== 'no certificate of ours') assert.equal(fields.code, 'BUS_TLS', what)
  }
})
