import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { headOf, publishHead } from '@llm-gateway/test/fake/publish-head'
import { OutcomeCounts } from '../delivery/outcome-counts.ts'
import type { SinkRecord } from '../targets/writer.ts'
import { openCoreSource } from './core-source.ts'
import { connected, SUBJECT } from './stream-under-test.ts'

// Rules: docs/reference/kept-records.md#sinks

const MEBIBYTE = 1024 * 1024

test('a record keeps no more memory than its body and its id, however large its headers are', async (t) => {
  await using server = await startNatsServer()
  const { source } = await openSource(t, server, 8)
  const head = headOf('Nats-Msg-Id: G-1-1', `X: ${'x'.repeat(8 * MEBIBYTE)}`)
  const records: SinkRecord[] = []
  for (let n = 0; n < 8; n++) await publishHead(server, SUBJECT, { head, payload: Buffer.from(`{"n":${n}}`) })
  while (records.length < 8) records.push(...((await source.take()) ?? []))
  for (const [n, { bytes, id }] of records.entries()) {
    assert.deepEqual([Buffer.from(bytes).toString(), id], [`{"n":${n}}`, 'G-1-1'])
    assert.ok(bytes.buffer.byteLength < 1024, String(bytes.buffer.byteLength))
  }
  for (const record of records) source.settle(record)
  assert.equal(source.unsettled.length, 0)
  await source.end('exit')
})

test('records without a body count, too: those without room are lost and counted', async (t) => {
  await using server = await startNatsServer()
  const { source, bus, counts, lines } = await openSource(t, server, 200_000)
  for (let n = 0; n < 200_000; n++) bus.publish(SUBJECT, new Uint8Array())
  await bus.flush()
  await source.end('exit')
  assert.ok(source.unsettled.length > 10_000 && source.unsettled.length <= 64 * 1024, String(source.unsettled.length))
  counts.report()
  const { fields } = lines.entries.at(-1) ?? {}
  assert.deepEqual(fields, { delivered: 0, failed: { QUEUE_FULL: 200_000 - source.unsettled.length }, repeats: 0 })
  // Settled records leave their room to others.
  const records = (await source.take()) ?? []
  for (const record of records) source.settle(record)
  assert.equal(source.unsettled.length, 0)
})

test('records of an earlier source take room, too', async (t) => {
  await using server = await startNatsServer()
  const { source, bus, counts, lines } = await openSource(t, server, 200, 63 * MEBIBYTE)
  for (let n = 0; n < 200; n++) bus.publish(SUBJECT, new Uint8Array(16 * 1024))
  await bus.flush()
  await source.end('exit')
  assert.ok(source.unsettled.length > 0 && source.unsettled.length < 64, String(source.unsettled.length))
  counts.report()
  assert.deepEqual(lines.entries.at(-1)?.fields, {
    delivered: 0,
    failed: { QUEUE_FULL: 200 - source.unsettled.length },
    repeats: 0,
  })
})

async function openSource(t: Parameters<typeof connected>[0], server: NatsServer, records: number, leftBytes = 0) {
  const { logger, lines } = journalLogger()
  const counts = new OutcomeCounts(logger)
  const bus = await connected(t, server)
  const limits = { records, bytes: 64 * MEBIBYTE, ms: 10 }
  const source = await openCoreSource({
    bus: await connected(t, server),
    subject: SUBJECT,
    service: 's',
    limits,
    counts,
    leftBytes: () => leftBytes,
  })
  return { source, bus, counts, lines }
}
