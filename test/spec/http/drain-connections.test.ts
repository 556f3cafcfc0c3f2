import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Authority, createAuthority } from '../../fake/certificates.ts'
import { type RunningGatewayProcess, startGatewayProcess } from '../../fake/gateway.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import { openRawConnection } from '../../fake/raw-http.ts'

// Rules: docs/reference/http.md#drain

/** Far below the limits for a head (20 s) and for Node's TLS handshake (120 s). */
const QUICK_EXIT_MS = 10_000
let authority: Authority
let llm: Llm

before(async () => {
  authority = await createAuthority()
  llm = await startLlm()
})
after(async () => {
  await llm.close()
  await authority.close()
})

async function start(isTls: boolean): Promise<RunningGatewayProcess> {
  const { certificateFile, privateKeyFile } = await authority.issue('gateway')
  const ingress = { enabled: isTls, certificate_file: certificateFile, private_key_file: privateKeyFile }
  return startGatewayProcess({ config: { routers: [{ path: '/llm/', outbound: { url: llm.url } }], tls: { ingress } } })
}

async function draining(gateway: RunningGatewayProcess): Promise<number> {
  gateway.kill('SIGTERM')
  await gateway.program.lines.waitFor((line) => line.includes('"draining"'))
  return performance.now()
}

const question = 'GET /llm/models HTTP/1.1\r\nHost: a\r\n\r\n'

test('SIGTERM: connections without a request, or with a part of a head, delay nothing', async () => {
  await using gateway = await start(false)
  using silent = await openRawConnection(gateway.port)
  using half = await openRawConnection(gateway.port)
  await half.send(question.slice(0, 20))
  using again = await openRawConnection(gateway.port)
  await again.send(question)
  await again.waitFor(/\}$/)
  await again.send(question.slice(0, 20))
  const begun = await draining(gateway)
  for (const caller of [silent, half, again]) assert.notEqual((await caller.ended()).ended, 'timeout')
  assert.equal((await gateway.exited).code, 0)
  assert.ok(performance.now() - begun < QUICK_EXIT_MS)
})

test('SIGTERM: a request whose head has arrived in part is served, and closes its connection', async () => {
  await using gateway = await start(false)
  using caller = await openRawConnection(gateway.port)
  await caller.send(question.slice(0, 20))
  // The gateway reads the earlier bytes before it answers this later call.
  await (await fetch(`${gateway.url}/llm/models`)).arrayBuffer()
  await draining(gateway)
  await caller.send(question.slice(20))
  const { text } = await caller.ended()
  assert.match(text, /^HTTP\/1\.1 200 [\s\S]*Connection: close/i)
  assert.equal((await gateway.exited).code, 0)
})

test('SIGTERM: one of several waiting pipelined calls is answered, with Connection: close', async () => {
  const gate = Promise.withResolvers<void>()
  await using gateway = await start(false)
  llm.respond(async () => {
    await gate.promise
    return { kind: 'answer', body: '{}' }
  })
  llm.requests.clear()
  using caller = await openRawConnection(gateway.port)
  await caller.send(question.repeat(3))
  await llm.requests.waitForCount(1)
  await draining(gateway)
  gate.resolve()
  const { text } = await caller.ended()
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+|Connection: close/gi), ['HTTP/1.1 200', 'Connection: close'])
  assert.equal((await gateway.exited).code, 0)
  assert.equal(llm.requests.total, 1)
  llm.respond(undefined)
})

test('SIGTERM: a TLS handshake that never ends delays nothing', async () => {
  await using gateway = await start(true)
  using silent = await openRawConnection(gateway.port)
  using half = await openRawConnection(gateway.port)
  // The first bytes of a ClientHello.
  await half.send(Buffer.from([22, 3, 1, 2, 0, 1, 0]))
  const begun = await draining(gateway)
  for (const caller of [silent, half]) assert.notEqual((await caller.ended()).ended, 'timeout')
  assert.equal((await gateway.exited).code, 0)
  assert.ok(performance.now() - begun < QUICK_EXIT_MS)
})
