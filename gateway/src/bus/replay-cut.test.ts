import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { spoolIn } from '../spool/spool-under-test.ts'
import { connected, recordConnectionUnderTest } from './bus-under-test.ts'
import { changeBefore, empty, publisherOn, until } from './publisher-under-test.ts'
import type { ServerMessage } from './server-frames.ts'

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
  await spool(folder.path, spooled)
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

/** Records of which the replay reads two in each batch. */
const large: readonly object[] = [0, 1, 2, 3, 4, 5].map((serial) => ({
  serial,
  request: { ingress_payload: text(70_000), outbound_payload: text(40_000) },
}))

test('spooled records are cut to a max_msg_size that the stream was given while they are sent', async () => {
  await using folder = await temporaryFolder()
  await spool(folder.path, large)
  await using server = await startNatsServer({ jetstream: true })
  await using kept = await openRecordStream(server)
  const config = { name: 'records_llm', subjects: ['llm.gl.logger'] }
  await kept.request('CREATE', config)
  await using connection = recordConnectionUnderTest(server)
  // The second batch and the third one were made for limits that the stream no longer has when they arrive.
  for (const [id, max_msg_size] of [
    ['GATEWAY1-1-2', 60_000],
    ['GATEWAY1-1-4', 20_000],
  ])
    changeBefore(
      connection,
      ({ head }) => head.messageId === id,
      () => kept.request('UPDATE', { ...config, max_msg_size }),
    )
  await using counted = publisherOn(connection, folder.path, { messageIdPrefix: 'GATEWAY1-2' })
  await until(counted, hasLeft(large.length))
  await until(counted, empty)
  const records = (await kept.read()).map((stored) => JSON.parse(stored.text))
  const both = ['ingress_payload', 'outbound_payload']
  assert.deepEqual(
    records.map(({ serial, cut }) => [serial, cut]),
    [
      [0, undefined],
      [1, undefined],
      [2, ['ingress_payload']],
      [3, ['ingress_payload']],
      [4, both],
      [5, both],
    ],
  )
  assert.deepEqual(counted.lost.entries, [])
})

test('spooled records are cut to a max_payload that the bus was given while they are sent', async () => {
  await using folder = await temporaryFolder()
  await spool(folder.path, large)
  const limitFile = join(folder.path, 'limit.conf')
  await writeFile(limitFile, 'max_payload: 1000000')
  await using server = await startNatsServer({
    jetstream: true,
    extra: `include ../${basename(folder.path)}/limit.conf`,
  })
  await using connection = recordConnectionUnderTest(server)
  const reload = async (): Promise<void> => {
    await writeFile(limitFile, 'max_payload: 60000')
    await server.kill('SIGHUP')
    // The bus tells its connections nothing of the new limit.
    for (let limit: number | undefined; limit !== 60_000; ) {
      await using other = recordConnectionUnderTest(server)
      await connected(other)
      limit = other.maxPayload
    }
  }
  changeBefore(connection, ({ head }) => head.messageId === 'GATEWAY1-1-2', reload)
  await using counted = publisherOn(connection, folder.path, { messageIdPrefix: 'GATEWAY1-2' })
  await until(counted, hasLeft(large.length))
  await until(counted, empty)
  await using kept = await openRecordStream(server)
  const cuts = (await kept.read()).map((stored) => JSON.parse(stored.text).cut)
  const cut = ['ingress_payload']
  assert.deepEqual(cuts, [undefined, undefined, cut, cut, cut, cut])
  assert.deepEqual(counted.lost.entries, [])
})

test('a spooled record that the stream refuses for its size under its own limit is lost, and the spool goes on', async () => {
  await using folder = await temporaryFolder()
  await spool(folder.path, large)
  await using server = await startNatsServer({ jetstream: true })
  await using connection = recordConnectionUnderTest(server)
  const { onAnswers, publish } = connection
  const tokens = new Set<string>()
  connection.publish = (message) => {
    if (message.head.messageId === 'GATEWAY1-1-1') tokens.add(connection.inbox + message.head.token)
    return publish(message)
  }
  const refusal = '{"error":{"code":400,"err_code":10054,"description":"message size exceeds maximum allowed"}}'
  const refuse = (answer: ServerMessage) => (tokens.has(answer.subject) ? { ...answer, text: refusal } : answer)
  connection.onAnswers = (listener) => onAnswers.call(connection, (answers) => listener(answers.map(refuse)))
  await using counted = publisherOn(connection, folder.path, { messageIdPrefix: 'GATEWAY1-2' })
  await until(counted, hasLeft(large.length))
  await until(counted, empty)
  assert.deepEqual(counted.lost.entries, ['1 too_large'])
  assert.equal(counted.publisher.status.acknowledged, 5)
})

/** True once that many records were stored or lost. */
const hasLeft =
  (count: number) =>
  ({ acknowledged, lost }: { readonly acknowledged: number; readonly lost: Readonly<Record<string, number>> }) =>
    acknowledged + Object.values(lost).reduce((sum, part) => sum + part, 0) === count

/** Writes records as an earlier process. */
async function spool(directory: string, records: readonly object[]): Promise<void> {
  await using under = await spoolIn(directory)
  const isIncomplete = false
  const createdMs = 1_700_000_000_000
  await under.spool.append(
    records.map((record, serial) => {
      return {
        id: `GATEWAY1-1-${serial}`,
        router: '/a/',
        pieces: [Buffer.from(JSON.stringify(record))],
        isIncomplete,
        createdMs,
      }
    }),
  )
}
