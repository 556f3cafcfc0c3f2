import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { outboundTls } from './outbound-tls.ts'
import { createRestWriter } from './rest-writer.ts'

const TRUST = { insecure: false, system_cert_pool: true, cert_files: [] }
const record = new TextEncoder().encode('{"n":1}')

type Seen = {
  readonly method: string
  readonly url: string
  readonly key: unknown
  readonly type: unknown
  readonly body: string
}

test('wire 1.2: each record is posted with the configured headers, any 2xx is a delivery', async (t) => {
  const target = await startTarget(t, [200, 204, 201])
  const writer = createRestWriter(await place(`${target.url}/in?x=1`))
  for (let count = 0; count < 3; count++) assert.deepEqual(await writer.write([record]), { delivered: 1 })
  await writer.close()
  assert.deepEqual(target.seen[2], {
    method: 'POST',
    url: '/in?x=1',
    key: 'k',
    type: 'application/json',
    body: '{"n":1}',
  })
})

test('what the target says decides about another try', async (t) => {
  const statuses = [500, 503, 429, 408, 400, 401, 404, 302]
  const target = await startTarget(t, statuses)
  const writer = createRestWriter(await place(target.url))
  for (const status of statuses) {
    const again = status >= 500 || status === 429 || status === 408
    assert.deepEqual(await writer.write([record]), { delivered: 0, failure: { code: `HTTP_${status}`, again } })
  }
  await writer.close()
})

test('a target that is away or breaks off is worth another try', async (t) => {
  const refused = createRestWriter(await place(`http://127.0.0.1:${await freePort()}`))
  assert.deepEqual(await refused.write([record]), { delivered: 0, failure: { code: 'ECONNREFUSED', again: true } })
  await refused.close()
  const target = await startTarget(t, [0])
  const broken = createRestWriter(await place(target.url))
  assert.deepEqual(await broken.write([record]), { delivered: 0, failure: { code: 'UND_ERR_SOCKET', again: true } })
  await broken.close()
})

test('specification, TLS 3 and 4: cert_files are trusted beside the pool and without it; insecure trusts all', async (t) => {
  await using authority = await createAuthority()
  const own = await authority.issue('target')
  const target = await startTarget(t, [], { key: own.privateKey, cert: own.certificate })
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
    assert.equal((await writer.write([record])).failure?.code, code, JSON.stringify(tls))
    await writer.close()
  }
})

async function place(url: string, tls: Parameters<typeof outboundTls>[0] = TRUST) {
  const trust = await outboundTls(tls)
  assert.ok(trust)
  return { url: new URL(url), headers: { 'X-Key': ['k'] }, tls: trust }
}

/** Answers with these statuses in turn, then 200; status 0 breaks the connection. */
async function startTarget(t: TestContext, statuses: readonly number[], tls?: { key: Buffer; cert: Buffer }) {
  const seen: Seen[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { 'x-key': key, 'content-type': type } = request.headers
    seen.push({ method: request.method ?? '', url: request.url ?? '', key, type, body })
    const status = statuses[seen.length - 1] ?? 200
    if (status === 0) request.socket.destroy()
    else response.writeHead(status).end()
  }
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${addressOf(server.address()).port}`, seen }
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  assert.ok(address !== null && typeof address === 'object')
  return address
}
