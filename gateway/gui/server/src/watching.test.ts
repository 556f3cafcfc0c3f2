import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { endpoints, MASKED } from '@llm-gateway/gui-api'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Event, startScene } from './fixture/interface-scene.ts'

test('a tried call is streamed and appears live, in the history and as a complete record', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  await using scene = await startScene({ gateway: true, nats })
  let seen: Event | undefined
  const live = scene.events('/api/v1/transactions/live?router=/echo/', undefined, (all) => {
    seen = all.find(({ event }) => event === 'transactions')
    return seen !== undefined
  })
  const ids: unknown[] = []
  // The live list starts with records that come after the page connected.
  while (seen === undefined) {
    const tried = await scene.events('/api/v1/try', { router: '/echo/', body: '{"said":"find me"}' })
    const names = tried.map(({ event }) => event)
    assert.deepEqual(names, ['head', 'text', 'end'])
    assert.equal(tried[0]?.status, 200)
    assert.equal(tried[1]?.text, '{"said":"find me"}')
    ids.push(tried[0]?.transaction_id)
    await delay(300)
  }
  await live
  const [row] = endpoints.live.answer.options[0].parse(seen).transactions
  const id = row?.transaction_id
  assert.ok(ids.includes(id))
  const record = await scene.script('GET', `/api/v1/transactions/${row?.id}`)
  assert.equal(record.json.record.request.ingress_payload.said, 'find me')
  for (const [question, count] of [
    ['text=FIND%20me', ids.length],
    ['text=nowhere', 0],
    ['status=2xx', ids.length],
    ['status=5xx', 0],
    [`session=${id}`, 1],
    ['router=/other/', 0],
  ] as const) {
    const history = await scene.script('GET', `/api/v1/transactions?${question}`)
    assert.equal(history.json.transactions.length, count, question)
    assert.equal(history.json.source, 'stream')
  }
  const overview = await scene.script('GET', '/api/v1/overview')
  assert.equal(overview.json.gateway.bus, 'connected')
  assert.equal(overview.json.bus.connected, true)
})

test('the backlog of a sink without a port is read from its consumer on the bus, also while the sink is stopped', async () => {
  await using nats = await startNatsServer({ jetstream: true })
  await using scene = await startScene({ gateway: true, nats })
  const behind = async () => {
    const { sinks } = endpoints.overview.answer.parse((await scene.script('GET', '/api/v1/overview')).json)
    return sinks.map((sink) => [sink.name, sink.behind_records, sink.delivered])
  }
  await scene.events('/api/v1/try', { router: '/echo/', body: '{}' })
  const never = ['nats2log', null, null]
  assert.deepEqual(await behind(), [['nats2file', null, null], never])
  await using bus = await connectBusClient(nats)
  const api = async (method: string, request: object) => {
    const answer = await bus.request(`$JS.API.${method}`, Buffer.from(JSON.stringify(request)))
    return JSON.parse(Buffer.from(answer).toString())
  }
  const end = performance.now() + 60_000
  while ((await api('STREAM.INFO.records_llm', {})).state?.messages !== 1) assert.ok(performance.now() < end)
  const config = { durable_name: 'nats2file', ack_policy: 'explicit', deliver_policy: 'all' }
  await api('CONSUMER.DURABLE.CREATE.records_llm.nats2file', { stream_name: 'records_llm', config })
  assert.deepEqual(await behind(), [['nats2file', 1, null], never])
})

test('a tried call has the headers that its router requires, and keys in the answer are masked', async () => {
  const llm = createServer((request, response) => {
    const key = String(request.headers['api-key'])
    response.writeHead(200, { 'content-type': 'application/json', 'x-key': key })
    response.write(`{"key":"${key.slice(0, 7)}`)
    setTimeout(() => response.end(`${key.slice(7)}"}`), 50)
  })
  await once(llm.listen(0, '127.0.0.1'), 'listening')
  const address = llm.address()
  const url = `http://127.0.0.1:${Object(address).port}`
  await using scene = await startScene({ gateway: true, environment: { AISERVICE_API_BASE: url } })
  const body = { router: '/restricted/', body: '{}', caller_headers: false }
  const without = await scene.events('/api/v1/try', body)
  assert.equal(without[0]?.status, 401)
  const tried = await scene.events('/api/v1/try', { ...body, caller_headers: true })
  assert.equal(tried[0]?.status, 200)
  const text = tried.flatMap((event) => (event.event === 'text' ? [event.text] : [])).join('')
  assert.equal(text, `{"key":"${MASKED}"}`)
  assert.equal(Object(tried[0]?.headers)['x-key'], MASKED)
  llm.closeAllConnections()
  llm.close()
})

test('at most ten tried calls run at once, and calls of callers that left are not made', async () => {
  let most = 0
  const open = new Set<unknown>()
  const llm = createServer((request, response) => {
    open.add(request)
    most = Math.max(most, open.size)
    response.on('close', () => open.delete(request))
  })
  await once(llm.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${Object(llm.address()).port}`
  await using scene = await startScene({ gateway: true, environment: { AISERVICE_API_BASE: url } })
  const body = JSON.stringify({ router: '/restricted/', body: '{}' })
  const head = `POST /api/v1/try HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer gui-secret-5c2f81\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const answers: string[] = []
  const sockets = Array.from({ length: 40 }, () => {
    const socket = connect(scene.port, '127.0.0.1', () => socket.write(head + body))
    return socket.on('data', (bytes) => answers.push(String(bytes)))
  })
  const refused = () => answers.filter((answer) => answer.includes('TOO_MANY')).length
  await until(() => open.size >= 10 && open.size + refused() >= 40)
  assert.equal(most, 10)
  for (const socket of sockets) socket.destroy()
  // The callers below leave before the answer.
  for (let turn = 0; turn < 20; turn += 1) {
    const socket = connect(scene.port, '127.0.0.1', () => socket.end(head + body, () => socket.destroy()))
    await once(socket, 'close')
  }
  await until(() => open.size === 0)
  const tried = await scene.events('/api/v1/try', { router: '/echo/', body: '{}' })
  assert.equal(tried[0]?.status, 200)
  llm.closeAllConnections()
  llm.close()
})

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!isTrue()) {
    assert.ok(Date.now() < deadline)
    await delay(20)
  }
}
