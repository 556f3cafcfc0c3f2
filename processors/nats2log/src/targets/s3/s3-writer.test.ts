import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { BackOff } from '../../delivery/back-off.ts'
import { deliver } from '../../delivery/deliver.ts'
import { OutcomeCounts } from '../../delivery/outcome-counts.ts'
import { Suspects } from '../../delivery/suspects.ts'
import { startTarget } from '../http/http-target-under-test.ts'
import { allFailed, DELIVERED } from '../writer.ts'
import { awsHeaders } from './aws-signature.ts'
import { createS3Writer } from './s3-writer.ts'

const KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: '',
}
const TLS = { rejectUnauthorized: true, ca: [] }
const record = (id: string, start: string) => ({
  id,
  bytes: Buffer.from(JSON.stringify({ id, ingress_egress_timer: { start } })),
})
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
  const lines = target.seen.map(({ body }) =>
    gunzipSync(body)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  )
  assert.deepEqual(lines, [['a', 'c'], ['b'], ['a', 'c'], ['b']])
  const [first, second, third, fourth] = target.seen.map(({ url }) => url)
  assert.match(first ?? '', /^\/calls\/records\/2026\/11\/22\/09\/[0-9a-f]{32}\.ndjson\.gz$/)
  assert.match(second ?? '', /^\/calls\/records\/2026\/11\/22\/10\//)
  assert.deepEqual([third, fourth], [first, second])
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
  const now = () => 0
  const backOff = new BackOff(now, () => 1)
  const delivered: unknown[] = []
  const records = Array.from({ length: 50 }, (_, n) => record(String(n), '2026-11-22T09:00:00Z'))
  await deliver(records, {
    writer,
    counts: new OutcomeCounts(journalLogger().logger),
    delivered: ({ id }) => delivered.push(id),
    refuse: async () => assert.fail(),
    postpone: () => assert.fail(),
    signal: new AbortController().signal,
    backOff,
    suspects: new Suspects({ backOff, now }),
    now,
    wait: async () => true,
  })
  assert.equal(delivered.length, 50)
  assert.deepEqual([new Set(target.seen.map(({ url }) => url)).size, target.seen.length], [1, 21])
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

function place(url: string) {
  return { url: new URL(url), bucket: 'calls', region: 'us-east-1', key: KEY, tls: TLS, now: Date.now }
}
