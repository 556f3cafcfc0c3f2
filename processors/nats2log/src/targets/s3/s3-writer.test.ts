import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTarget } from '../http/http-target-under-test.ts'
import { filteredWriter } from '../record-filter.ts'
import { allFailed, DELIVERED } from '../writer.ts'
import { awsHeaders } from './aws-signature.ts'
import { delivery, idsIn, KEY, numbered, place, record } from './s3-under-test.ts'
import { createS3Writer } from './s3-writer.ts'

const NO_FIELDS = { fields_include: [], fields_exclude: [] }
const NO_FILTER = { request: NO_FIELDS, response: NO_FIELDS }
const RECORDS = [
  record('a', '2026-11-22T09:59:59.999999999Z'),
  record('b', '2026-11-22T10:00:00.000000000Z'),
  record('c', '2026-11-22T09:00:00Z'),
]

test('records become one compressed object per hour, and the same records get the same object name', async (t) => {
  const target = await startTarget(t, () => ({ status: 200 }))
  const writer = createS3Writer({ ...place(target.url), prefix: 'records/' })
  assert.deepEqual(await writer.write(RECORDS), DELIVERED)
  assert.deepEqual(await writer.write(RECORDS), DELIVERED)
  const lines = target.seen.map(({ body }) => idsIn(body))
  assert.deepEqual(lines, [['a', 'c'], ['b'], ['a', 'c'], ['b']])
  const [first, second, third, fourth] = target.seen.map(({ url }) => url)
  assert.match(first ?? '', /^\/calls\/records\/2026\/11\/22\/09\/[0-9a-f]{32}\.ndjson\.gz$/)
  assert.match(second ?? '', /^\/calls\/records\/2026\/11\/22\/10\//)
  assert.deepEqual([third, fourth], [first, second])
  await writer.close()
})

test('a record with a year of more than four digits, or without a time, is in the folder of the hour in which it was stored', async (t) => {
  const target = await startTarget(t, () => ({ status: 200 }))
  const writer = createS3Writer({ ...place(target.url), prefix: '', now: () => Date.UTC(2026, 10, 22, 9) })
  const storedMs = Date.UTC(2026, 10, 22, 8)
  assert.deepEqual(await writer.write([{ ...record('a', 'x'), sequence: 1, storedMs }]), DELIVERED)
  for (const start of ['+012026-11-22T09:00:00Z', '-000001-01-01T00:00:00Z', 'x', '9999-12-31T23:59:59Z']) {
    assert.deepEqual(await writer.write([record('a', start)]), DELIVERED)
  }
  assert.deepEqual(
    target.seen.map(({ url }) => url.slice('/calls/'.length, '/calls/2026/11/22/09/'.length)),
    ['2026/11/22/08/', '2026/11/22/09/', '2026/11/22/09/', '2026/11/22/09/', '9999/12/31/23/'],
  )
  await writer.close()
})

test('a prefix leaves with the escapes that a signature requires, so that the path is the path that was signed', async (t) => {
  const target = await startTarget(t, () => ({ status: 200 }))
  const writer = createS3Writer({ ...place(target.url), prefix: "a!b/(c)*d'e-f_g.h/" })
  await writer.write(RECORDS.slice(0, 1))
  assert.match(target.seen[0]?.url ?? '', /^\/calls\/a%21b\/%28c%29%2Ad%27e-f_g\.h\/2026\/11\/22\/09\//)
  await writer.close()
})

test('when a bucket refuses the object of one hour, only that hour is tried again', async (t) => {
  const target = await startTarget(t, ({ url }) => ({ status: url.includes('/09/') ? 400 : 200 }))
  const writer = createS3Writer({ ...place(target.url), prefix: '' })
  const [a, b, c] = RECORDS
  assert.ok(a && b && c)
  assert.deepEqual(await writer.write([a, b, c]), allFailed([a, c], { code: 'HTTP_400', again: true }))
  await writer.close()
})

test('a batch that fails again and again stays one object, so that a stored object without an answer is not repeated', async (t) => {
  const target = await startTarget(t, (_, index) => ({ status: index < 20 ? 503 : 200 }))
  const writer = createS3Writer({ ...place(target.url), prefix: '' })
  const { delivered, run } = delivery(writer)
  await run(numbered(50))
  assert.equal(delivered.length, 50)
  assert.deepEqual([new Set(target.seen.map(({ url }) => url)).size, target.seen.length], [1, 21])
  await writer.close()
})

test('a batch that is too large for the server is divided, and only a record that is too large alone is refused', async (t) => {
  const target = await startTarget(t, ({ body }) => ({ status: idsIn(body).some(isLarge) ? 413 : 200 }))
  const writer = createS3Writer({ ...place(target.url), prefix: '' })
  const { delivered, refused, run } = delivery(writer)
  await run([...numbered(10), record('large', '2026-11-22T09:00:00Z'), ...numbered(20).slice(10)])
  assert.deepEqual(
    delivered.toSorted(),
    numbered(20)
      .map(({ id }) => id)
      .toSorted(),
  )
  assert.deepEqual(refused, ['large HTTP_413'])
  await writer.close()
})

test('the parts of a batch that is too large keep their names while they fail', async (t) => {
  let failures = 0
  const target = await startTarget(t, ({ body }) => {
    if (idsIn(body).length > 2) return { status: 413 }
    failures += 1
    return { status: failures < 6 ? 503 : 200 }
  })
  const writer = createS3Writer({ ...place(target.url), prefix: '' })
  const { delivered, refused, run } = delivery(writer)
  await run(numbered(4))
  const names = new Set(target.seen.map(({ url }) => url))
  assert.deepEqual([delivered.toSorted(), refused, names.size], [['0', '1', '2', '3'], [], 3])
  await writer.close()
})

for (const payloads of ['on', 'off'] as const) {
  test(`parts of a batch that were stored although their answers were lost are not joined in another object (payloads: ${payloads})`, async (t) => {
    const copies = new Map<string, number>()
    const stored = new Map<string, readonly string[]>()
    const target = await startTarget(t, ({ url, body }) => {
      const ids = idsIn(body)
      if (ids.length > 4) return { status: 413 }
      const isNew = !stored.has(url)
      stored.set(url, ids)
      // The batch has four parts, of three and two records. The answers to the second and the fourth are lost at first.
      return { status: isNew && (ids.includes('3') || ids.includes('8')) ? 0 : 200 }
    })
    const writer = filteredWriter(createS3Writer({ ...place(target.url), prefix: '' }), { payloads, filter: NO_FILTER })
    const { delivered, run } = delivery(writer)
    await run(numbered(10))
    for (const id of [...stored.values()].flat()) copies.set(id, (copies.get(id) ?? 0) + 1)
    assert.equal(delivered.length, 10)
    assert.deepEqual([...copies.values()], Array(10).fill(1))
    await writer.close()
  })
}

test('an object that was stored although its answer was lost counts as delivered where its key may not replace it', async (t) => {
  const { target, objects } = await startOnceOnly(t, (isStored) => (isStored ? 200 : 404))
  const writer = createS3Writer({ ...place(target.url), prefix: '' })
  const { delivered, run } = delivery(writer)
  await run(numbered(3))
  assert.deepEqual([delivered, objects.size], [['0', '1', '2'], 1])
  assert.equal(target.seen.filter(({ method }) => method === 'HEAD').length, 1)
  await writer.close()
})

test('where a key may neither replace nor read an object, the batch gets another name', async (t) => {
  const { target, objects } = await startOnceOnly(t, () => 403)
  const writer = createS3Writer({ ...place(target.url), prefix: '' })
  const { delivered, run } = delivery(writer)
  await run(numbered(3))
  const [first = '', second] = [...objects]
  assert.deepEqual([delivered, second], [['0', '1', '2'], first.replace('.ndjson.gz', '-1.ndjson.gz')])
  await writer.close()
})

test('while a key is refused and no object is there, the batch keeps its name', async (t) => {
  const target = await startTarget(t, ({ method }, index) => ({
    status: method === 'HEAD' ? 404 : index < 20 ? 403 : 200,
  }))
  const writer = createS3Writer({ ...place(target.url), prefix: '' })
  const { delivered, run } = delivery(writer)
  await run(numbered(3))
  assert.deepEqual([delivered.length, new Set(target.seen.map(({ url }) => url)).size], [3, 1])
  await writer.close()
})

test('a request is signed like the example in the documentation of Signature Version 4', () => {
  // The example PUT object of "Signature Calculations for the Authorization Header", without its two extra headers.
  const body = Buffer.from('Welcome to Amazon S3.')
  const url = new URL('https://examplebucket.s3.amazonaws.com/test%24file.text')
  const signed = awsHeaders({ method: 'PUT', url, body, region: 'us-east-1', nowMs: Date.UTC(2013, 4, 24) }, KEY)
  assert.equal(signed['x-amz-content-sha256'], '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072')
  assert.equal(signed['x-amz-date'], '20130524T000000Z')
  assert.match(
    signed.Authorization ?? '',
    /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20130524\/us-east-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
  )
})

/** Starts a server that stores an object once and never again; the first answer is lost. */
async function startOnceOnly(t: TestContext, headStatus: (isStored: boolean) => number) {
  const objects = new Set<string>()
  const target = await startTarget(t, ({ method, url }, index) => {
    if (method === 'HEAD') return { status: headStatus(objects.has(url)) }
    if (objects.has(url)) return { status: 403 }
    objects.add(url)
    return { status: index === 0 ? 0 : 200 }
  })
  return { target, objects }
}

function isLarge(id: string): boolean {
  return id === 'large'
}
