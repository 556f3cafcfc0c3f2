import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { outboundTls } from '../outbound-tls.ts'
import { allFailed, DELIVERED } from '../writer.ts'
import { startTarget } from './http-target-under-test.ts'
import { createRestWriter, restUrl } from './rest-writer.ts'

// Rules: docs/reference/nats2file-config.md, docs/reference/configuration-rules.md#tls-settings

const TRUST = { insecure: false, system_cert_pool: true, cert_files: [] }
const record = { bytes: new TextEncoder().encode('{"n":1}') }

test('each record is posted with the configured headers, any 2xx is a delivery', async (t) => {
  const target = await answering(t, [200, 204, 201])
  const writer = createRestWriter(await place(`${target.url}/in?x=1`))
  for (let count = 0; count < 3; count++) assert.deepEqual(await writer.write([record]), DELIVERED)
  await writer.close()
  const third = target.seen[2]
  assert.deepEqual([third?.method, third?.url, String(third?.body)], ['POST', '/in?x=1', '{"n":1}'])
  assert.deepEqual([third?.headers['x-key'], third?.headers['content-type']], ['k', 'application/json'])
})

test('waiting records leave in one body; a refused body is split until only the faulty record is refused', async (t) => {
  const records = [1, 2, 3, 4].map((n) => ({ bytes: new TextEncoder().encode(`{"n":\n${n}}`), id: String(n) }))
  const bodies = {
    ndjson: '{"n": 1}\n{"n": 2}\n{"n": 3}\n{"n": 4}\n',
    array: '[{"n":\n1},{"n":\n2},{"n":\n3},{"n":\n4}]',
  }
  for (const [format, status] of [
    ['ndjson', 413],
    ['array', 413],
    ['ndjson', 409],
  ] as const) {
    const target = await startTarget(t, ({ body }) => ({ status: String(body).includes('3') ? status : 200 }))
    const writer = createRestWriter({ ...(await place(target.url)), format })
    const attempt = await writer.write(records)
    assert.deepEqual(
      attempt.failed.map(({ record: { id }, code, again }) => [id, code, again]),
      [['3', `HTTP_${status}`, false]],
    )
    assert.equal(String(target.seen[0]?.body), bodies[format])
    assert.equal(target.seen.length, 5)
    await writer.close()
  }
})

test('a record that is not JSON is refused before it is put into an array', async (t) => {
  const target = await startTarget(t, ({ body }) => {
    try {
      JSON.parse(String(body))
      return { status: 200 }
    } catch {
      return { status: 500 }
    }
  })
  const writer = createRestWriter({ ...(await place(target.url)), format: 'array' })
  const texts = ['{"n":1}', 'no json', '{"n":2', '{"n":3}', '{"a":b}', '{"n":4},{"n":5}', '']
  const attempt = await writer.write(texts.map((text) => ({ bytes: new TextEncoder().encode(text), id: text })))
  assert.deepEqual(
    attempt.failed.map(({ record: { id }, code, again }) => [id, code, again]),
    ['no json', '{"n":2', '{"a":b}', '{"n":4},{"n":5}', ''].map((id) => [id, 'NOT_JSON', false]),
  )
  assert.deepEqual(
    target.seen.map(({ body }) => String(body)),
    ['[{"n":1},{"n":3}]'],
  )
  await writer.close()
})

test('the target’s status decides about another try', async (t) => {
  const statuses = [500, 503, 429, 408, 400, 401, 402, 403, 404, 406, 409, 410, 415, 422, 426, 431, 302]
  const target = await answering(t, statuses)
  const writer = createRestWriter(await place(target.url))
  for (const status of statuses) {
    const again = ![400, 409, 422].includes(status)
    assert.deepEqual(await writer.write([record]), allFailed([record], { code: `HTTP_${status}`, again }))
  }
  await writer.close()
})

test('Retry-After is read as seconds or as a date, and ignored otherwise', async (t) => {
  const now = Date.UTC(2026, 10, 21, 2, 0, 0)
  const cases = [
    ['7', 7_000],
    ['Sat, 21 Nov 2026 02:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 01:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['99999999999', undefined],
  ] as const
  const target = await startTarget(t, (_, index) => ({
    status: 429,
    headers: { 'Retry-After': cases[index]?.[0] ?? '' },
  }))
  const writer = createRestWriter({ ...(await place(target.url)), now: () => now })
  for (const [value, expected] of cases) assert.equal((await writer.write([record])).retryAfterMs, expected, value)
  await writer.close()
})

test('an unreachable target and a broken connection are retried', async (t) => {
  const refused = createRestWriter(await place(`http://127.0.0.1:${await freePort()}`))
  assert.deepEqual(await refused.write([record]), allFailed([record], { code: 'ECONNREFUSED', again: true }))
  await refused.close()
  const target = await answering(t, [0])
  const broken = createRestWriter(await place(target.url))
  assert.deepEqual(await broken.write([record]), allFailed([record], { code: 'UND_ERR_SOCKET', again: true }))
  await broken.close()
})

test('cert_files are trusted with and without the system’s pool; insecure trusts every certificate', async (t) => {
  await using authority = await createAuthority()
  const own = await authority.issue('target')
  const target = await answering(t, [], { key: own.privateKey, cert: own.certificate })
  const files = [authority.certificateFile]
  const cases = [
    [TRUST, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    [{ ...TRUST, cert_files: files }, undefined],
    [{ ...TRUST, system_cert_pool: false, cert_files: files }, undefined],
    [{ ...TRUST, system_cert_pool: false }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    [{ ...TRUST, insecure: true }, undefined],
  ] as const
  for (const [tls, code] of cases) {
    const writer = createRestWriter(await place(target.url, tls))
    assert.equal((await writer.write([record])).failed[0]?.code, code, JSON.stringify(tls))
    await writer.close()
  }
})

test('a certificate file that is a pipe is refused without waiting for its writer', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'nats2log-tls-'))
  context.after(() => rm(folder, { recursive: true }))
  const pipe = join(folder, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  assert.equal(await outboundTls({ ...TRUST, cert_files: [pipe] }), undefined)
})

async function place(url: string, tls: Parameters<typeof outboundTls>[0] = TRUST) {
  const trust = await outboundTls(tls)
  assert.ok(trust)
  return { url: new URL(url), headers: { 'X-Key': ['k'] }, tls: trust, now: Date.now }
}

/** Starts a server that answers with these statuses in turn, then with 200. */
async function answering(t: TestContext, statuses: readonly number[], tls?: { key: Buffer; cert: Buffer }) {
  return await startTarget(t, (_, index) => ({ status: statuses[index] ?? 200 }), tls)
}

const URLS: readonly (readonly [string, number | undefined, string, string | undefined])[] = [
  ['http://logs', undefined, '', 'http://logs/'],
  ['http://logs', 0, '', 'http://logs/'],
  ['http://logs', 8088, 'in', 'http://logs:8088/in'],
  ['http://logs:1', 8088, '/in?x=1', 'http://logs:8088/in?x=1'],
  ['https://logs/base/', 443, '/in', 'https://logs/base/in'],
  ['https://logs/base?key=1', undefined, '', 'https://logs/base?key=1'],
  ['ftp://logs', undefined, '', undefined],
  ['logs', undefined, '', undefined],
]

test('url, port and endpoint of rest_api_writer are one address', () => {
  for (const [url, port, endpoint, expected] of URLS) {
    assert.equal(restUrl({ url, port, endpoint })?.href, expected, `${url} ${port} ${endpoint}`)
  }
})
