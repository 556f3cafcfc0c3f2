import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { type RunningGatewayProcess, startGatewayProcess } from '../../fake/gateway.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import { type NatsServer, startNatsServer } from '../../fake/nats-server.ts'
import { NO_REPLY, startProcessor } from '../../fake/processor.ts'
import { openRawConnection, type RawConnection } from '../../fake/raw-http.ts'
import { collectRecords, type Records } from '../../fake/records.ts'
import { startTcpProxy, type TcpProxy } from '../../fake/tcp-proxy.ts'

// Rules: docs/reference/http.md#drain

let nats: NatsServer
let bus: TcpProxy
let records: Records
let llm: Llm

before(async () => {
  nats = await startNatsServer()
  bus = await startTcpProxy(nats.port)
  records = await collectRecords(nats)
  llm = await startLlm()
})
after(async () => {
  await llm.close()
  await records.close()
  await bus.close()
  await nats.close()
})
beforeEach(() => {
  llm.respond(undefined)
  llm.requests.clear()
  records.clear()
})

function start(limits: Readonly<Record<string, number>> = {}): Promise<RunningGatewayProcess> {
  const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
  const server = { address: bus.address, token: nats.token }
  return startGatewayProcess({ admin: true, nats: server, config: { routers, limits } })
}

const question = 'GET /llm/models HTTP/1.1\r\nHost: a\r\n\r\n'

/** Sends a request on a new connection that stays open. */
async function send(gateway: RunningGatewayProcess, text = question): Promise<RawConnection> {
  const raw = await openRawConnection(gateway.port)
  await raw.send(text)
  return raw
}

async function draining(gateway: RunningGatewayProcess): Promise<void> {
  gateway.kill('SIGTERM')
  await gateway.program.lines.waitFor((line) => line.includes('"draining"'))
}

test('SIGTERM: /readyz is 503 at once, the port stays open for drain_delay_ms and answers close, exit code 0', async () => {
  await using gateway = await start({ drain_delay_ms: 5_000 })
  assert.equal((await fetch(`${gateway.adminUrl}/readyz`)).status, 200)
  using kept = await send(gateway)
  assert.doesNotMatch(await kept.waitFor(/\r\n\r\n.*\}$/s), /Connection: close/i)
  await draining(gateway)
  const [ready, healthy] = await Promise.all(['readyz', 'healthz'].map((path) => fetch(`${gateway.adminUrl}/${path}`)))
  assert.deepEqual([ready?.status, healthy?.status], [503, 200])
  using late = await send(gateway)
  assert.match(await late.waitFor(/\r\n\r\n/), /^HTTP\/1.1 200 [\s\S]*Connection: close/i)
  assert.equal((await late.ended()).ended, 'close')
  await kept.send(question)
  assert.match((await kept.ended()).text, /Connection: close/i)
  assert.equal((await gateway.exited).code, 0)
  await records.waitForCount(3)
})

test('SIGTERM: running calls finish, a stream with its last event and a large answer with its last byte', async () => {
  const gate = Promise.withResolvers<void>()
  const bytes = 24 * 1024 * 1024
  llm.respond(({ url }) =>
    url === '/stream'
      ? {
          kind: 'answer',
          headers: [['Content-Type', 'text/event-stream']],
          body: (async function* () {
            yield 'data: 1\n\n'
            await gate.promise
            yield 'data: last\n\n'
          })(),
        }
      : { kind: 'answer', body: Buffer.alloc(bytes, 'x') },
  )
  await using gateway = await start()
  // Before the bus has announced its max_payload, a record of this size is lost.
  await gateway.lines.waitFor((line) => line.includes('"for":"records"') && line.includes('"bus connected"'))
  using stream = await send(gateway, question.replace('models', 'stream'))
  await stream.waitFor(/data: 1/)
  // `/echo/` answers in one write: the transaction ends long before its bytes are read.
  const body = JSON.stringify('x'.repeat(bytes))
  using echo = await openRawConnection(gateway.port)
  echo.socket.pause()
  await echo.send(`POST /echo/ HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  await records.waitFor((record) => record.field('request.gl_path') === '/echo/')
  await draining(gateway)
  gate.resolve()
  await stream.waitFor(/data: last\n\n\r\n0\r\n\r\n$/)
  echo.socket.resume()
  assert.ok((await echo.ended()).bytes.length > bytes)
  assert.equal((await gateway.exited).code, 0)
  // Otherwise the next test might take this stream's record for its own.
  await records.waitForCount(2)
})

test('SIGTERM: calls that still run after drain_ms are cut, with a record, exit code 0', async () => {
  llm.respond(() => ({ kind: 'hang' }))
  await using gateway = await start({ drain_ms: 200 })
  using hanging = await send(gateway)
  await llm.requests.waitForCount(1)
  await draining(gateway)
  assert.notEqual((await hanging.ended()).ended, 'timeout')
  assert.equal((await gateway.exited).code, 0)
  const [record] = await records.waitForCount(1)
  assert.equal(record?.field('response.egress_status_code'), 499)
})

test('SIGTERM: a half answer that is cut after drain_ms is reset for a caller of HTTP/1.0', async () => {
  llm.respond(() => ({ kind: 'answer', body: ['half'], ending: 'hang' }))
  await using gateway = await start({ drain_ms: 200 })
  using caller = await send(gateway, question.replace('1.1', '1.0'))
  await caller.waitFor(/half/)
  await draining(gateway)
  assert.equal((await caller.ended()).ended, 'reset')
  assert.equal((await gateway.exited).code, 0)
})

test('SIGTERM: an idle connection delays nothing; records that the bus lacks are delivered first', async () => {
  await using gateway = await start()
  using idle = await send(gateway)
  await idle.waitFor(/\r\n\r\n/)
  await records.waitForCount(1)
  bus.hold()
  for (let index = 0; index < 20; index += 1) {
    await (await fetch(`${gateway.url}/llm/models`)).arrayBuffer()
  }
  await draining(gateway)
  assert.equal((await idle.ended()).ended, 'close')
  assert.equal(records.journal.total, 1)
  bus.resume()
  assert.equal((await gateway.exited).code, 0)
  // A record may come twice if the bus seemed to be gone.
  await records.journal.waitUntil(() => records.distinct().length === 21)
})

test('SIGTERM: a second signal ends the process at once', async () => {
  llm.respond(() => ({ kind: 'hang' }))
  await using gateway = await start()
  using _hanging = await send(gateway)
  await llm.requests.waitForCount(1)
  await draining(gateway)
  gateway.kill('SIGTERM')
  assert.equal((await gateway.exited).code, 1)
})

test('SIGTERM: a call that waits for a silent asynchronous processor leaves its record', {
  timeout: 60_000,
}, async () => {
  await using silent = await startProcessor(nats, 'silent', () => NO_REPLY)
  const row = { name: 'silent', service_bus_topic: 'silent', timeout: 120_000, async: true, input_fields_include: [] }
  const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
  const server = { address: bus.address, token: nats.token }
  await using gateway = await startGatewayProcess({
    nats: server,
    config: { routers, response: { processors: [[row]] } },
  })
  using raw = await send(gateway)
  await raw.waitFor(/^HTTP\/1.1 200/)
  await silent.messages.waitForCount(1)
  gateway.kill('SIGTERM')
  assert.equal((await gateway.exited).code, 0)
  await records.waitForCount(1)
})

test('SIGTERM ends the gateway with code 0 even if its bus accepts connections and never answers', async () => {
  let connections = 0
  await using silent = createServer((socket) => {
    connections += 1
    socket.on('error', () => socket.destroy())
    socket.unref()
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  assert.ok(typeof address === 'object' && address !== null)
  const server = { address: `127.0.0.1:${address.port}`, token: 'a' }
  await using gateway = await startGatewayProcess({ nats: server, config: { limits: { drain_delay_ms: 0 } } })
  // A connection for calls and one for records.
  while (connections < 2) await once(silent, 'connection')
  assert.deepEqual(await gateway.program.stop(60_000), { code: 0, signal: null })
})
