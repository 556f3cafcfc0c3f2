import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busOptions, connectBus, serveProcessor } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { startAllInOne } from '../../fake/all-in-one.ts'
import { placeBusCertificates, withBusTls } from '../../fake/bus-pair.ts'
import { createAuthority } from '../../fake/certificates.ts'
import { freePort } from '../../fake/free-port.ts'
import { startLlm } from '../../fake/llm.ts'

// Rules: docs/reference/configuration-rules.md#tls-of-the-bus

const TOKEN = 'planted-token'
const SUBJECT = 'llm.gl.custom.outside'
const ROW = { name: 'outside', service_bus_topic: SUBJECT, timeout: 20_000, required: true }

test('the supervisor starts both servers of a bus with TLS, and a processor outside takes part in a call', async () => {
  await using llm = await startLlm()
  await using authority = await createAuthority()
  const client = await authority.issue('processor')
  const ports = { inner: await freePort(), outer: await freePort(), leaf: await freePort() }
  await using allInOne = await startAllInOne(llm.url, {
    edit: (name, text) => withRow(name, withBusTls(name, text, ports)),
    prepare: (conf) => placeBusCertificates(authority, conf),
    // The supervisor's own values would name the shipped port, and this test has another. The quotes test the escaping.
    environment: {
      NATS_TOKEN: TOKEN,
      BUS_LEAF_PASSWORD: 'leaf/"pass"',
      BUS_LEAF_URL: `nats://leaf:${encodeURIComponent('leaf/"pass"')}@127.0.0.1:${ports.leaf}`,
    },
  })
  const place = busOptions({
    GATEWAY_HOST: `127.0.0.1:${ports.outer}`,
    NATS_TOKEN: TOKEN,
    NATS_CA_FILE: authority.certificateFile,
    NATS_CERT_FILE: client.certificateFile,
    NATS_KEY_FILE: client.privateKeyFile,
  })
  assert.ok(place)
  const { logger } = journalLogger()
  const bus = await connectBus({ ...place, name: 'outside', logger })
  assert.ok(bus)
  const processor = await serveProcessor({ bus, subject: SUBJECT, logger, answer: () => ({ seen_outside: true }) })

  const end = performance.now() + 60_000
  let status = 0
  // The status is 503 until the subscription has crossed to the gateway's server.
  while (status !== 200 && performance.now() < end) {
    const answer = await fetch(`${allInOne.url}/echo/`, { method: 'POST', body: '{"a":1}' })
    await answer.text()
    status = answer.status
    // Without a pause these calls would push the awaited lines out of the journal.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.equal(status, 200)
  await allInOne.program.lines.waitUntil(() => allInOne.pids('nats-server-tls').length === 1)
  await processor.drain()
  await bus.close()
})

function withRow(name: string, text: string): string {
  if (name !== 'gl_config.json') return text
  const file = JSON.parse(text)
  const row = { ...ROW, input_fields_include: ['gl_path'], output_fields_write: ['seen_outside'] }
  // Formatted like the shipped file, because the fake replaces the ports as text.
  return JSON.stringify({ ...file, request: { processors: [[row]] }, response: { processors: [] } }, undefined, 2)
}
