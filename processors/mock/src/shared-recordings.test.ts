import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as written } from 'node:timers/promises'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { Bucket } from './bucket-under-test.ts'
import { EMPTY, LIMITS, type MockUnderTest, mockUnderTest } from './mock-under-test.ts'
import { encodeRecording } from './recording.ts'
import { type RecordingLimits, type RecordingStore, Recordings } from './recordings.ts'
import { sharedRecordings } from './shared-recordings.ts'

// Rules: docs/reference/processors.md#mock, docs/reference/processor-settings.md#mock

// The test bucket writes in microtasks: all of them have run when `written` resolves.

type Replica = MockUnderTest & { readonly store: RecordingStore; readonly logged: () => readonly unknown[] }

function replica(bucket: Bucket, limits: Partial<RecordingLimits> = {}): Replica {
  const { logger, lines } = journalLogger()
  const recordings = new Recordings({ ...LIMITS, ...limits })
  const store = sharedRecordings({ recordings, keyValue: bucket.open(), logger })
  return { ...mockUnderTest({ store }), store, logged: () => lines.entries.map(({ message }) => message) }
}

const entry = (payload: unknown): Uint8Array =>
  encodeRecording({ status: 200, headers: {}, payload }) ?? assert.fail('too deep')

test('a recording of one replica is replayed by all, and by a replica that starts later', async () => {
  const bucket = new Bucket()
  const [one, other] = [replica(bucket), replica(bucket)]
  await one.record('/pool/gpt4/', 'by gpt4', { original_gl_path: '/pool/', egress_status_code: 201 })
  await one.store.close()
  for (const replaying of [other, replica(bucket)]) {
    assert.equal((await replaying.replay('/mock/pool/')).payload, 'by gpt4')
    assert.equal((await replaying.replay('/mock/pool/gpt4/')).status, 201)
  }
})

test('a recording chosen by one replica is found by a replica that has not received it yet', async () => {
  const bucket = new Bucket()
  const late = replica(bucket)
  assert.deepEqual(await late.choose('/mock/a/'), EMPTY)
  bucket.entries.set('/a/', { value: entry('not told yet'), revision: 9 })
  const answer = await late.send({ gl_path: '/mock/a/', egress_payload: '/a/', egress_status_code: 503 })
  assert.equal(answer?.egress_payload, 'not told yet')
})

test('recordings that the store refuses are replayed from memory and logged once for each reason', async () => {
  const bucket = new Bucket()
  const own = replica(bucket)
  bucket.failure = 'full'
  for (const turn of [1, 2, 3]) {
    await own.record('/a/', turn)
    assert.equal((await own.replay('/mock/a/')).payload, turn)
  }
  await own.record('/b/', 1)
  await written()
  assert.deepEqual(own.logged(), ['recording could not be written to the key-value store'])
  bucket.failure = undefined
  await own.record('/a/', 4)
  await own.store.close()
  assert.deepEqual(own.logged(), [
    'recording could not be written to the key-value store',
    'recordings are written to the key-value store again',
  ])
  assert.equal((await replica(bucket).replay('/mock/a/')).payload, 4)
})

test('without a store the mock records and replays from its own memory', async () => {
  const bucket = new Bucket()
  bucket.away = true
  const own = replica(bucket)
  await own.record('/a/', 'mine')
  assert.equal((await own.replay('/mock/a/')).payload, 'mine')
  assert.deepEqual(await own.choose('/mock/b/'), EMPTY)
  const answer = await own.send({ gl_path: '/mock/b/', egress_payload: '/b/', egress_status_code: 503 })
  assert.equal(answer?.egress_status_code, 404)
  await own.store.close()
  assert.deepEqual(own.logged(), [])
})

test('even with a slow store the newest recording is replayed, and the newest is written', async () => {
  const bucket = new Bucket()
  const own = replica(bucket)
  const { promise, resolve } = Promise.withResolvers<void>()
  bucket.hold = promise
  for (let turn = 0; turn <= 50; turn += 1) {
    await own.record('/a/', turn)
    await own.record('/b/', turn)
    assert.equal((await own.replay('/mock/a/')).payload, turn)
  }
  resolve()
  await written()
  assert.equal((await own.replay('/mock/a/')).payload, 50)
  assert.equal((await replica(bucket).replay('/mock/b/')).payload, 50)
  // The first write, which was under way, and the last.
  assert.deepEqual(bucket.writes, ['put /a/', 'put /b/', 'put /a/'])
})

test('the last write to the store wins in every replica, even if it is reported before the own write ends', async () => {
  const bucket = new Bucket()
  const [one, other] = [replica(bucket), replica(bucket)]
  assert.deepEqual(await one.choose('/mock/a/'), EMPTY)
  const { promise, resolve } = Promise.withResolvers<void>()
  bucket.hold = promise
  await one.record('/a/', 'of one')
  bucket.hold = undefined
  await other.record('/a/', 'of the other')
  await written()
  // The replica's own write is under way and will be the last.
  assert.equal((await one.replay('/mock/a/')).payload, 'of one')
  resolve()
  await written()
  for (const replaying of [one, other]) assert.equal((await replaying.replay('/mock/a/')).payload, 'of one')
})

test('another replica’s later write wins although the own write’s outcome arrives last', async () => {
  const bucket = new Bucket()
  const outcomes: (() => void)[] = []
  const keyValue = bucket.open()
  const put: typeof keyValue.put = async (key, value) => {
    const outcome = await keyValue.put(key, value)
    await new Promise<void>((resolve) => outcomes.push(resolve))
    return outcome
  }
  const { logger } = journalLogger()
  const store = sharedRecordings({ recordings: new Recordings(LIMITS), keyValue: { ...keyValue, put }, logger })
  const own = mockUnderTest({ store })
  assert.deepEqual(await own.choose('/mock/a/'), EMPTY)
  await own.record('/a/', 'own')
  await written()
  await bucket.write('/a/', entry('somebody else’s, later'))
  assert.equal((await own.replay('/mock/a/')).payload, 'own')
  for (const resolve of outcomes) resolve()
  await store.close()
  assert.equal((await own.replay('/mock/a/')).payload, 'somebody else’s, later')
})

test('an eviction deletes the entry in the store, and a deleted entry removes the recordings of other replicas', async () => {
  const bucket = new Bucket()
  const [one, other] = [replica(bucket, { recordings: 2 }), replica(bucket, { recordings: 2 })]
  assert.deepEqual(await other.choose('/mock/a/'), EMPTY)
  for (const path of ['/a/', '/b/', '/c/']) await one.record(path, path)
  await written()
  assert.deepEqual([...bucket.entries.keys()].sort(), ['/b/', '/c/'])
  assert.deepEqual(await other.choose('/mock/a/'), EMPTY)
  assert.equal((await other.replay('/mock/c/')).payload, '/c/')
  await bucket.write('/c/', undefined)
  assert.deepEqual(await other.choose('/mock/c/'), EMPTY)
})

test('only the replica that records evicts entries of the store', async () => {
  const bucket = new Bucket()
  const own = replica(bucket, { recordings: 2 })
  assert.deepEqual(await own.choose('/mock/a/'), EMPTY)
  for (const path of ['/a/', '/b/', '/c/']) await bucket.write(path, entry(path))
  await written()
  assert.deepEqual(await own.choose('/mock/a/'), EMPTY)
  assert.deepEqual([...bucket.entries.keys()], ['/a/', '/b/', '/c/'])
})

test('a start with smaller bounds evicts entries of the store', async () => {
  const bucket = new Bucket()
  for (const path of ['/a/', '/b/', '/c/', '/d/']) await bucket.write(path, entry(path))
  const smaller = replica(bucket, { recordings: 2 })
  assert.deepEqual(await smaller.choose('/mock/a/'), EMPTY)
  assert.equal(await smaller.choose('/mock/d/'), '/d/')
  await written()
  assert.deepEqual([...bucket.entries.keys()], ['/c/', '/d/'])
})

test('entries of the store that are not recordings are ignored', async () => {
  const bucket = new Bucket()
  await bucket.write('no path', entry('a'))
  await bucket.write('/huge/', new Uint8Array(LIMITS.recordingBytes + 1))
  await bucket.write('/broken/', Buffer.from('{'))
  await bucket.write('/__proto__/', entry('harmless'))
  const own = replica(bucket)
  assert.equal((await own.replay('/mock/__proto__/')).payload, 'harmless')
  assert.deepEqual((await own.replay('/mock/broken/')).payload, EMPTY)
  assert.deepEqual(await own.choose('/mock/huge/'), EMPTY)
  assert.deepEqual(await own.choose('/mock/', 'no path'), EMPTY)
})
