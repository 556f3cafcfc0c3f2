import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Authority, createAuthority } from '../../fake/certificates.ts'
import { startGateway } from '../../fake/gateway.ts'
import { startRawLlm } from '../../fake/raw-llm.ts'

// Rules: docs/reference/http.md#connections-to-the-llm-api

const BODY = JSON.stringify('x'.repeat(8 * 1024 * 1024))
const EARLY = 'HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\n'
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'
const LONG = 'y'.repeat(3_000_000)
let authority: Authority

before(async () => {
  authority = await createAuthority()
})
after(() => authority.close())

const answers: readonly (readonly [name: string, bytes: string, expected: string])[] = [
  ['small', `${EARLY}Content-Length: 2\r\n\r\n{}`, '{}'],
  ['chunked', `${EARLY}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, '{}'],
  ['large', `${EARLY}Content-Length: ${LONG.length}\r\n\r\n${LONG}`, LONG],
]

for (const isTls of [false, true]) {
  for (const [name, bytes, expected] of answers) {
    test(`a connection that was answered early is not used again, TLS ${isTls}, ${name}`, async () => {
      // The LLM API has refused the body and reads no more of it.
      const closed = Promise.withResolvers<void>()
      await using llm = await startRawLlm(
        (socket, head) => {
          if (!/content-length: \d{7}/i.test(head)) return socket.write(OK)
          socket.pause()
          socket.write(bytes)
          socket.on('close', () => closed.resolve())
        },
        isTls ? await authority.issue('llm') : undefined,
      )
      const config = {
        routers: [{ path: '/llm/', outbound: { url: llm.url } }],
        tls: { outbound: { cert_files: [authority.certificateFile] } },
        limits: { outbound_headers_timeout_ms: 5_000 },
      }
      await using gateway = await startGateway({ config })
      const post = (body: string) => fetch(`${gateway.url}/llm/x`, { method: 'POST', body })
      for (let round = 0; round < 3; round += 1) {
        const early = await post(BODY)
        assert.deepEqual([early.status, (await early.text()) === expected], [401, true])
        const next = await post('{"q":1}')
        assert.deepEqual([next.status, await next.text()], [200, '{}'])
      }
      // The gateway closes a connection whose body stays unread.
      llm.sockets[0]?.resume()
      await closed.promise
    })
  }
}

test('a connection whose large body the LLM API may not have read yet carries no other call', async () => {
  const body = JSON.stringify('x'.repeat(1024 * 1024))
  await using llm = await startRawLlm((socket, head) => {
    if (!/content-length: \d{7}/i.test(head)) return socket.write(OK)
    socket.pause()
    // Late enough that the system has taken the whole body.
    setTimeout(() => socket.write(`${EARLY}Content-Length: 2\r\n\r\n{}`), 300)
  })
  const config = {
    routers: [{ path: '/llm/', outbound: { url: llm.url } }],
    limits: { outbound_headers_timeout_ms: 5_000 },
  }
  await using gateway = await startGateway({ config })
  const post = (text: string) => fetch(`${gateway.url}/llm/x`, { method: 'POST', body: text })
  assert.equal((await post(body)).status, 401)
  assert.equal((await post('{"q":1}')).status, 200)
})

test('a body that the LLM API leaves unread after its answer counts until its connection ends', async () => {
  await using llm = await startRawLlm((socket) => {
    socket.pause()
    socket.write(`${EARLY}Content-Length: 2\r\n\r\n{}`)
  })
  const config = {
    routers: [{ path: '/llm/', outbound: { url: llm.url } }],
    limits: { buffered_bytes: 4 * BODY.length },
  }
  await using gateway = await startGateway({ config })
  const post = async (): Promise<number> => {
    const answer = await fetch(`${gateway.url}/llm/x`, { method: 'POST', body: BODY })
    await answer.arrayBuffer()
    return answer.status
  }
  assert.equal(await post(), 401)
  const statusWithin = async (wanted: number, calls: number): Promise<number> => {
    let status = 0
    for (let count = 0; count < calls && status !== wanted; count += 1) status = await post()
    return status
  }
  assert.equal(await statusWithin(503, 4), 503)
  for (const socket of llm.sockets) socket.destroy()
  assert.equal(await statusWithin(401, 100), 401)
})
