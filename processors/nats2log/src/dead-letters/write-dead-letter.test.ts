import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusClient } from '@llm-gateway/sdk'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { connected, makeRecordStream, SUBJECT } from '../stream/stream-under-test.ts'
import { writeDeadLetter } from './write-dead-letter.ts'

// Rules: docs/reference/kept-records.md#dead-letters

const MEBIBYTE = 1024 * 1024
const LETTERS = 'records_llm_refused'
const [SMALL, LARGE] = [MEBIBYTE, 20 * MEBIBYTE].map((size) => Buffer.alloc(size, 'a'))

test('a record that is larger than the dead letters is lost with an error, and the earlier letters stay', async (t) => {
  await using server = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 40MB' })
  const { keep, errors, numbers } = letterBox(await connected(t, server))
  assert.equal(await keep('G-1-1', SMALL), 'kept')
  assert.equal(await keep('G-1-2', LARGE), 'too large')
  assert.equal(await keep('G-1-3', SMALL), 'kept')
  assert.deepEqual(await numbers(), [1, 2])
  assert.deepEqual(errors(), [{ id: 'G-1-2', sequence: 7, bytes: LARGE?.length, code: 'HTTP_422' }])
})

test('the first record is too large for the dead letters for which the bus has room', async (t) => {
  await using server = await startNatsServer({ jetstream: true, jetstreamExtra: 'max_file: 40MB' })
  const { keep, errors } = letterBox(await connected(t, server))
  assert.equal(await keep('G-1-1', LARGE), 'too large')
  assert.equal(errors().length, 1)
})

test('a small stream of an earlier version keeps its letters, and takes none that it would drop at once', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  await stream(server)
  const { keep, errors, numbers } = letterBox(await connected(t, server))
  const most = Buffer.alloc(16 * MEBIBYTE - 8 * 1024)
  for (const [id, bytes, kept] of [
    ['G-1-1', SMALL, 'kept'],
    ['G-1-2', LARGE, 'too large'],
    ['G-1-3', Buffer.alloc(16 * MEBIBYTE), 'too large'],
  ] as const) {
    assert.equal(await keep(id, bytes), kept, id)
  }
  assert.deepEqual(await numbers(), [1, 1])
  assert.equal(await keep('G-1-4', most), 'kept')
  assert.deepEqual(await numbers(), [2, 2])
  assert.equal(errors().length, 2)
})

test('a record that is larger than the messages of the bus is lost with an error', async (t) => {
  await using server = await startNatsServer({ jetstream: true, maxPayload: MEBIBYTE })
  const { keep, errors } = letterBox(await connected(t, server))
  assert.equal(await keep('G-1-1', SMALL), 'too large')
  assert.equal(errors().length, 1)
})

test('a letter of any size waits for a bus that is away', async (t) => {
  await using server = await startNatsServer({ jetstream: true })
  const { keep, errors } = letterBox(await connected(t, server))
  await server.stop()
  assert.equal(await keep('G-1-1', SMALL), 'failed')
  assert.deepEqual(errors(), [])
})

/** The stream as earlier versions made it, with 16 MiB. */
async function stream(server: Parameters<typeof makeRecordStream>[0]): Promise<void> {
  const limits = { max_bytes: 16 * MEBIBYTE, max_msg_size: -1, deny_delete: false, deny_purge: false }
  await makeRecordStream(server, { name: LETTERS, subjects: [`${SUBJECT}.refused.*`], ...limits })
}

function letterBox({ streams }: BusClient) {
  const { logger, lines } = journalLogger()
  const options = { streams, subject: SUBJECT, sink: 'nats2log', logger }
  return {
    keep: (id: string, bytes: Uint8Array = new Uint8Array()) =>
      writeDeadLetter({ id, sequence: 7, bytes }, 'HTTP_422', options),
    errors: () => lines.entries.filter(({ level }) => level === 'ERROR').map(({ fields }) => fields),
    /** The first and the last number of the letters. */
    numbers: async (): Promise<readonly number[]> => {
      const state = await streams.state(LETTERS)
      assert.ok(state.kind === 'found')
      return [state.value.first, state.value.last]
    },
  }
}
