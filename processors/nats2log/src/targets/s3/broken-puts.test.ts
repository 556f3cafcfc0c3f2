import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delivery, numbered, place, random, record, startBucket } from './s3-under-test.ts'
import { createS3Writer } from './s3-writer.ts'

// Rules: docs/reference/kept-records.md#records-that-fail-alone

const LIMIT = 2_000
const HOUR = '2026-11-22T09:00:00Z'

test('a batch is divided if a server breaks the connections of large requests, and a record that is too large lets others pass', async (t) => {
  const bucket = await startBucket(t, ({ bytes }) => (bytes > LIMIT ? 'break' : 'take'))
  const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
  const { delivered, refused, postponed, run } = delivery(writer, { failures: 3, ms: 0 })
  const small = numbered(20)
  const large = record('large', HOUR, random(2 * LIMIT))
  await run([...small.slice(0, 10), large, ...small.slice(10)])
  assert.deepEqual([delivered.length, postponed, refused], [20, ['large'], []])
  // No other record arrives between these tries, so the server may be away.
  for (let n = 0; n < 5; n++) await run([large])
  assert.deepEqual(refused, [])
  for (let n = 0; n < 2; n++) await run([record(`beside ${n}`, HOUR), large])
  assert.match(refused.join(), /^large (EPIPE|ECONNRESET|UND_ERR_SOCKET)$/)
  assert.deepEqual(bucket.ids(), [...small.map(({ id }) => id), 'beside 0', 'beside 1'].toSorted())
  await writer.close()
})

test('once a batch was divided, another of its size is divided after one broken connection', async (t) => {
  const bucket = await startBucket(t, ({ bytes }) => (bytes > LIMIT ? 'break' : 'take'))
  const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
  const { delivered, postponed, run } = delivery(writer)
  await run(numbered(4, LIMIT / 3))
  const before = bucket.seen.length
  await run(numbered(8, LIMIT / 3).map((one) => ({ ...one, id: `again ${one.id}` })))
  assert.deepEqual([delivered.length, postponed], [12, []])
  const later = bucket.seen.slice(before)
  const most = Math.max(...later.map(({ bytes }) => bytes))
  assert.equal(later.filter(({ bytes }) => bytes === most).length, 1)
  await writer.close()
})

test('while a server breaks each connection, a batch stays one object', async (t) => {
  const bucket = await startBucket(t, ({ index }) => (index < 40 ? 'break' : 'take'))
  const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
  const { delivered, refused, postponed, run } = delivery(writer, { failures: 1, ms: 0 })
  await run(numbered(4))
  assert.deepEqual([delivered.length, refused, postponed, bucket.stored.size], [4, [], [], 1])
  await writer.close()
})

test('no record is given up while a server takes no object, although it says that none is there', async (t) => {
  let isAway = true
  const bucket = await startBucket(t, ({ method }) => (isAway && method === 'PUT' ? 'break' : 'take'))
  const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
  const { delivered, refused, postponed, run } = delivery(writer, { failures: 1, ms: 0 })
  const records = numbered(4)
  await run(records)
  await run(records)
  assert.deepEqual([delivered, refused, [...new Set(postponed)].toSorted()], [[], [], ['0', '1', '2', '3']])
  isAway = false
  await run(records)
  assert.deepEqual([delivered.toSorted(), bucket.ids()], [postponed.slice(0, 4).toSorted(), ['0', '1', '2', '3']])
  await writer.close()
})

test('an object that was stored each time although its connection broke is found and not divided', async (t) => {
  const bucket = await startBucket(t, ({ method }) => (method === 'PUT' ? 'store, break' : 'take'))
  const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
  const { delivered, run } = delivery(writer)
  await run(numbered(4))
  assert.deepEqual([delivered.length, bucket.stored.size], [4, 1])
  await writer.close()
})

test('where a key may not look for objects, a batch whose connections break is divided, too', async (t) => {
  const bucket = await startBucket(t, ({ method, bytes }) =>
    method === 'HEAD' ? 403 : bytes > LIMIT ? 'break' : 'take',
  )
  const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
  const { delivered, run } = delivery(writer)
  await run(numbered(4, LIMIT / 3))
  assert.deepEqual([delivered.length, bucket.ids()], [4, ['0', '1', '2', '3']])
  await writer.close()
})

for (const status of [409, 413, 422, 429, 500]) {
  test(`no record is refused where connections break and the object is looked for with the answer ${status}`, async (t) => {
    const bucket = await startBucket(t, ({ method, index }) =>
      method === 'HEAD' ? status : index < 20 ? 'break' : 'take',
    )
    const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
    const { delivered, refused, run } = delivery(writer)
    await run(numbered(4))
    assert.deepEqual([refused, delivered.length, bucket.stored.size], [[], 4, 1])
    await writer.close()
  })
}

// Each connection breaks after its object is stored. After the fifth the sink looks for the object and sends one record.
for (const breaks of [5, 6, 7, 20]) {
  test(`where a key may not look for objects, at most one record is stored twice while ${breaks} answers are lost`, async (t) => {
    let puts = 0
    const bucket = await startBucket(t, ({ method }) => {
      if (method === 'HEAD') return 403
      puts += 1
      return puts <= breaks ? 'store, break' : 'take'
    })
    const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
    const { delivered, run } = delivery(writer)
    await run(numbered(16))
    assert.deepEqual([delivered.length, bucket.ids().length], [16, 17])
    await writer.close()
  })
}

test('where a key may not look for objects, a batch whose records are all too large is divided, too', async (t) => {
  const bucket = await startBucket(t, ({ method, bytes }) =>
    method === 'HEAD' ? 403 : bytes > LIMIT ? 'break' : 'take',
  )
  const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
  const { delivered, postponed, run } = delivery(writer)
  await run(numbered(3, 2 * LIMIT))
  assert.deepEqual([delivered, postponed.toSorted()], [[], ['0', '1', '2']])
  await writer.close()
})

test('where a key may not look for objects, a record that is too large lets others pass wherever it stands', async (t) => {
  const bucket = await startBucket(t, ({ method, bytes }) =>
    method === 'HEAD' ? 403 : bytes > LIMIT ? 'break' : 'take',
  )
  const writer = createS3Writer({ ...place(bucket.url), prefix: '' })
  const { delivered, postponed, run } = delivery(writer)
  await run([record('large', HOUR, random(2 * LIMIT)), ...numbered(4)])
  assert.deepEqual([delivered.toSorted(), postponed], [['0', '1', '2', '3'], ['large']])
  assert.deepEqual(bucket.ids(), ['0', '1', '2', '3'])
  await writer.close()
})
