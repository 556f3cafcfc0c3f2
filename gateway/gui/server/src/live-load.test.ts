import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { endpoints } from '@llm-gateway/gui-api'
import { connectBus } from '@llm-gateway/sdk'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startScene } from './fixture/interface-scene.ts'

const RECORDS = 10_000

test('a page that reads nothing delays no other page: a second page sees or counts every record, and a third page is served', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  await using scene = await startScene({ nats })
  const { hostname, port, token = '' } = nats
  const logger = createLogger({ service: 'test', write: () => undefined })
  const bus = await connectBus({
    address: { hostname, port },
    credentials: { kind: 'token', token },
    name: 'test',
    logger,
  })
  assert.ok(bus)
  const made = await bus.streams.makeStream({
    name: 'records_llm',
    subject: 'llm.gl.logger',
    maxBytes: 64 * 1024 * 1024,
    maxAgeMs: 60 * 60_000,
  })
  assert.equal(made.kind, 'found', JSON.stringify(made))
  // This page asks and never reads.
  const deaf = connect(scene.port, '127.0.0.1')
  deaf.write(
    `GET /api/v1/transactions/live HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer gui-secret-5c2f81\r\n\r\n`,
  )
  deaf.pause()
  const seen = new Set<string>()
  let skipped = 0
  let looked = 0
  let isLooking = false
  const live = scene.events('/api/v1/transactions/live', undefined, (all) => {
    for (const event of all.slice(looked)) {
      const parsed = endpoints.live.answer.parse(event)
      if (parsed.event !== 'transactions') continue
      skipped += parsed.skipped
      for (const { session_id: id } of parsed.transactions) {
        if (id === 'probe') isLooking = true
        else seen.add(String(id))
      }
    }
    looked = all.length
    return seen.size + skipped >= RECORDS
  })
  const record = (id: string) =>
    Buffer.from(
      JSON.stringify({
        session_id: id,
        request: { gl_path: '/x/', ingress_payload: 'x'.repeat(1_000) },
        response: { egress_status_code: 200 },
      }),
    )
  const before = process.memoryUsage().rss
  const probe = setInterval(() => bus.publish('llm.gl.logger', record('probe')), 200)
  // The reader starts with new records, so wait until it sees one.
  while (!isLooking) await new Promise((resolve) => setTimeout(resolve, 100))
  clearInterval(probe)
  for (let i = 0; i < RECORDS; i += 1) {
    bus.publish('llm.gl.logger', record(`s${i}`))
    if (i % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const history = await scene.script('GET', '/api/v1/transactions?limit=200')
  assert.equal(history.status, 200)
  await live
  assert.ok(skipped > 0, 'a page shows fewer than ten thousand calls')
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024)
  deaf.destroy()
  await bus.close()
})
