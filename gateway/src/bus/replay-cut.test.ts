import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { spoolIn } from '../spool/spool-under-test.ts'
import { recordConnectionUnderTest } from './bus-under-test.ts'
import { empty, publisherOn, until } from './publisher-under-test.ts'

// Rules: docs/reference/record.md#cuts, docs/reference/kept-records.md#losses

const text = (bytes: number): string => 'x'.repeat(bytes)

/** Records as an earlier process spooled them, when the bus took larger ones. */
const spooled: readonly object[] = [
  { serial: 0, request: { ingress_payload: { text: text(100) } } },
  {
    serial: 1,
    request: { gl_path: '/a/', ingress_payload: { text: text(90_000) }, outbound_payload: { text: text(90_000) } },
    response: { egress_status_code: 200, egress_payload: { text: text(20_000) }, score: { text: text(30_000) } },
    incomplete: true,
  },
  { serial: 2, response: { egress_payload: { cut: true }, score: text(80_000) }, cut: ['egress_payload'] },
  { serial: 3, response: { egress_payload: { text: text(20_000) }, score: text(80_000), other: text(70_000) } },
  { serial: 4, unknown: text(90_000) },
  { serial: 5 },
]

test('a spooled record that is too large for the bus by now is cut as a new one, and the spool goes on', async () => {
  await using folder = await temporaryFolder()
  {
    await using under = await spoolIn(folder.path)
    await under.spool.append(
      spooled.map((record, serial) => ({
        id: `GATEWAY1-1-${serial}`,
        pieces: [Buffer.from(JSON.stringify(record))],
        isIncomplete: false,
        createdMs: 1_700_000_000_000,
      })),
    )
  }
  await using server = await startNatsServer({ jetstream: true, maxPayload: 65_536 })
  await using connection = recordConnectionUnderTest(server)
  await using counted = publisherOn(connection, folder.path, { messageIdPrefix: 'GATEWAY1-2' })
  await counted.lost.waitForCount(1)
  await until(counted, empty)
  await using kept = await openRecordStream(server)
  const records = (await kept.read()).map((stored) => JSON.parse(stored.text))
  assert.deepEqual(
    records.map(({ serial, cut }) => [serial, cut]),
    [
      [0, undefined],
      [1, ['outbound_payload', 'ingress_payload']],
      [2, ['egress_payload', 'score']],
      [3, ['egress_payload', 'score', 'other']],
      [5, undefined],
    ],
  )
  const [, both] = records
  const { ingress_payload: payload } = both.request
  assert.deepEqual([payload.cut, payload.bytes, payload.head], [true, 90_011, `{"text":"${text(4096 - 9)}`])
  assert.deepEqual([both.request.gl_path, both.response, both.incomplete], ['/a/', Object(spooled[1]).response, true])
  assert.deepEqual(counted.lost.entries, ['1 too_large'])
})
