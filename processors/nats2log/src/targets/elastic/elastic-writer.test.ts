import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { type SeenRequest, startTarget, type TargetAnswer } from '../http/http-target-under-test.ts'
import { allFailed, DELIVERED, type SinkRecord } from '../writer.ts'
import { createElasticWriter, type ElasticTarget, elasticAuthorization } from './elastic-writer.ts'

// Rules: docs/reference/nats2file-config.md, docs/reference/configuration-rules.md#tls-settings

const TLS = { rejectUnauthorized: true, ca: [] }
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const record = (n: number, id?: string): SinkRecord => ({ bytes: encode({ n }), ...(id === undefined ? {} : { id }) })
const text = ({ body }: SeenRequest) => body.toString()

test('with document_ids a record is created under its Nats-Msg-Id and replaces no document', async (t) => {
  const { seen, writer } = await startWriter(t, () => ({ status: 201 }), { path: '/es/', documentIds: true })
  assert.deepEqual(await writer.write([record(1)]), DELIVERED)
  assert.deepEqual(await writer.write([record(2, 'GATEWAY1-1763-2')]), DELIVERED)
  assert.deepEqual(await writer.write([record(3, 'a/b ?')]), DELIVERED)
  assert.deepEqual(
    seen.map((request) => [request.method, request.url, text(request)]),
    [
      ['POST', '/es/calls/_doc', '{"n":1}'],
      ['POST', '/es/calls/_doc/GATEWAY1-1763-2?op_type=create', '{"n":2}'],
      ['POST', '/es/calls/_doc', '{"n":3}'],
    ],
  )
  assert.equal(seen[0]?.headers['content-type'], 'application/json')
})

test('a record is posted to /<index>/_doc', async (t) => {
  const { seen, writer } = await startWriter(t, () => ({ status: 201 }))
  assert.deepEqual(await writer.write([record(1, 'GATEWAY1-1763-1')]), DELIVERED)
  assert.deepEqual(
    seen.map((request) => [request.method, request.url, text(request)]),
    [['POST', '/calls/_doc', '{"n":1}']],
  )
})

test('a conflict means delivered for a record with an id, and refused for a record without an id', async (t) => {
  const { writer } = await startWriter(t, () => ({ status: 409 }), { documentIds: true })
  const other = record(2)
  assert.deepEqual(await writer.write([record(1, 'id')]), DELIVERED)
  assert.deepEqual(await writer.write([other]), allFailed([other], { code: 'HTTP_409', again: false }))
})

test('no answer, a full target and throttling are retried; a refused record is not', async (t) => {
  const statuses = [0, 429, 503, 400, 401, 413]
  const { writer } = await startWriter(t, (_, index) => {
    return { status: statuses[index] ?? 200, headers: { 'Retry-After': '3' } }
  })
  const one = record(1, 'id')
  assert.deepEqual(await writer.write([one]), allFailed([one], { code: 'UND_ERR_SOCKET', again: true }))
  for (const status of statuses.slice(1)) {
    const failed = allFailed([one], { code: `HTTP_${status}`, again: status !== 400 && status !== 413 })
    assert.deepEqual(await writer.write([one]), { ...failed, retryAfterMs: 3_000 })
  }
})

test('with bulk, waiting records leave in one request, each on its line; a single record is posted alone', async (t) => {
  const { seen, writer } = await startWriter(t, created, { bulk: true, documentIds: true })
  const spread = { bytes: new TextEncoder().encode('{\n"n":3\r\n}'), id: 'id-3' }
  assert.deepEqual(await writer.write([record(1, 'id-1'), record(2), spread]), DELIVERED)
  assert.deepEqual(await writer.write([record(4)]), DELIVERED)
  assert.deepEqual(seen.map(({ url }) => url).sort(), ['/calls/_bulk?filter_path=errors,items.*.status', '/calls/_doc'])
  const [bulk] = seen
  assert.ok(bulk)
  assert.equal(bulk.headers['content-type'], 'application/x-ndjson')
  assert.equal(
    text(bulk),
    '{"create":{"_id":"id-1"}}\n{"n":1}\n{"create":{}}\n{"n":2}\n{"create":{"_id":"id-3"}}\n{ "n":3  }\n',
  )
})

test('each record of a bulk has its own outcome: created, already there, retried, refused', async (t) => {
  const items = [201, 409, 429, 400, 503, 200].map((status) => ({ create: { status } }))
  const { writer } = await startWriter(t, () => ({ status: 200, body: JSON.stringify({ errors: true, items }) }), {
    bulk: true,
  })
  const records = items.map((_, n) => record(n, `id-${n}`))
  const { failed, apart, retryAfterMs } = await writer.write(records)
  assert.deepEqual([apart, retryAfterMs], [true, undefined])
  assert.deepEqual(
    failed.map(({ record: { id }, code, again }) => [id, code, again]),
    [
      ['id-2', 'HTTP_429', true],
      ['id-3', 'HTTP_400', false],
      ['id-4', 'HTTP_503', true],
    ],
  )
})

const ANSWERS: readonly (readonly [string, TargetAnswer, string, boolean])[] = [
  ['invalid JSON', { status: 200, body: 'fine' }, 'BULK_ANSWER', true],
  ['too few items', { status: 200, body: '{"items":[{"create":{"status":201}}]}' }, 'BULK_ANSWER', true],
  ['items of another kind', { status: 200, body: '{"items":[1,null]}' }, 'BULK_ANSWER', true],
  ['statuses that are none', { status: 200, body: bulkOf(400.25, 1e300) }, 'BULK_ANSWER', true],
  ['statuses below the first one', { status: 200, body: bulkOf(0, -400) }, 'BULK_ANSWER', true],
  ['throttled as a whole', { status: 429 }, 'HTTP_429', true],
  ['refused as a whole and one by one', { status: 400 }, 'HTTP_400', false],
  ['broken off', { status: 0 }, 'UND_ERR_SOCKET', true],
]

function bulkOf(...statuses: readonly number[]): string {
  return JSON.stringify({ items: statuses.map((status) => ({ create: { status } })) })
}

test('an answer to a bulk without outcomes of records counts for all of them', async (t) => {
  for (const [name, answer, code, again] of ANSWERS) {
    const { writer } = await startWriter(t, () => answer, { bulk: true })
    const records = [record(1, 'a'), record(2, 'b')]
    assert.deepEqual(await writer.write(records), allFailed(records, { code, again }), name)
  }
})

test('without document_ids a bulk has no ids either', async (t) => {
  const { seen, writer } = await startWriter(t, created, { bulk: true })
  assert.deepEqual(await writer.write([record(1, 'a'), record(2, 'b'), record(3, 'c')]), DELIVERED)
  assert.equal(seen[0]?.body.toString(), '{"create":{}}\n{"n":1}\n{"create":{}}\n{"n":2}\n{"create":{}}\n{"n":3}\n')
})

test('a bulk that a proxy finds too large is split until only the record that is too large by itself is refused', async (t) => {
  const small = (request: SeenRequest): TargetAnswer => {
    if (request.body.length > 120) return { status: 413 }
    const { length } = text(request).match(/"create"/g) ?? []
    const items = Array.from({ length: length ?? 0 }, () => ({ create: { status: 201 } }))
    return { status: 200, body: JSON.stringify({ items }) }
  }
  const { writer } = await startWriter(t, small, { bulk: true, documentIds: true })
  const large: SinkRecord = { bytes: encode({ text: 'x'.repeat(200) }), id: 'large' }
  const records = [record(1, 'a'), record(2, 'b'), large, record(4, 'd'), record(5, 'e')]
  assert.deepEqual(await writer.write(records), allFailed([large], { code: 'HTTP_413', again: false }))
})

test('a record is tried again when the answer is an HTML page with status 200', async (t) => {
  const page = { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>please log in</html>' }
  const { writer } = await startWriter(t, () => page, { documentIds: true })
  const one = record(1, 'a')
  assert.deepEqual(await writer.write([one]), allFailed([one], { code: 'DOC_ANSWER', again: true }))
})

test('username and password are sent as Basic authorization, and an API key overrides them', async (t) => {
  const none = { username: '', password: '', api_key: '' }
  const cases = [
    [none, undefined],
    [{ ...none, username: 'elastic', password: 'pä:ss' }, `Basic ${Buffer.from('elastic:pä:ss').toString('base64')}`],
    [{ username: 'elastic', password: 'x', api_key: 'a2V5' }, 'ApiKey a2V5'],
  ] as const
  for (const [credentials, expected] of cases) {
    const authorization = elasticAuthorization(credentials)
    const { seen, writer } = await startWriter(t, created, { authorization })
    await writer.write([record(1)])
    assert.equal(seen[0]?.headers.authorization, expected)
  }
})

test('the target’s certificate is judged by tls.outbound', async (t) => {
  await using authority = await createAuthority()
  const own = await authority.issue('elastic')
  const target = await startTarget(t, created, { key: own.privateKey, cert: own.certificate })
  const ca = [authority.certificate.toString()]
  for (const [tls, delivered] of [
    [TLS, false],
    [{ ...TLS, ca }, true],
    [{ ...TLS, rejectUnauthorized: false }, true],
  ] as const) {
    const writer = createElasticWriter(options({ url: new URL(target.url), tls }))
    assert.equal((await writer.write([record(1)])).failed.length === 0, delivered)
    await writer.close()
  }
})

function created({ url }: SeenRequest): TargetAnswer {
  const items = Array.from({ length: 3 }, () => ({ create: { status: 201 } }))
  return url.includes('_bulk') ? { status: 200, body: JSON.stringify({ items }) } : { status: 201 }
}

function options(some: Partial<ElasticTarget> & Pick<ElasticTarget, 'url'>): ElasticTarget {
  return { index: 'calls', authorization: undefined, bulk: false, documentIds: false, tls: TLS, now: Date.now, ...some }
}

async function startWriter(
  t: TestContext,
  rule: (request: SeenRequest, index: number) => TargetAnswer,
  { path = '', ...some }: Partial<ElasticTarget> & { readonly path?: string } = {},
) {
  const target = await startTarget(t, rule)
  const writer = createElasticWriter(options({ ...some, url: new URL(`${target.url}${path}`) }))
  t.after(() => writer.close())
  return { seen: target.seen, writer }
}
