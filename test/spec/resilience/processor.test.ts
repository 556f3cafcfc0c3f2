import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BusMessage, connectBusClient } from '../../fake/bus-client.ts'
import { type RunningGatewayProcess, startGatewayProcess } from '../../fake/gateway.ts'
import { Journal } from '../../fake/journal.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import { startLoad } from '../../fake/load.ts'
import { type NatsServer, startNatsServer } from '../../fake/nats-server.ts'
import type { Program } from '../../fake/program.ts'
import { collectRecords, type Records } from '../../fake/records.ts'
import { startTokenCounter, TOKEN_COUNTER_ROWS } from '../../fake/token-counter.ts'
import { untilStopped } from '../../fake/until-stopped.ts'

// Rules: docs/reference/bus.md#failures, docs/reference/bus.md#required

const CHAT = '/chat/completions'
/** A call must not wait for a missing processor: with this timeout it would outlast the test. */
const LONG_MS = 600_000
const SHORT_MS = 500

const [[entry]] = TOKEN_COUNTER_ROWS.request.processors
const row = (path: string, over: object): readonly unknown[] => [
  { ...entry, name: path.replaceAll('/', ''), routers: [path], ...over },
]

let nats: NatsServer
let llm: Llm
let records: Records
let gateway: RunningGatewayProcess
let processor: Program

before(async () => {
  nats = await startNatsServer()
  llm = await startLlm()
  records = await collectRecords(nats)
  processor = await startTokenCounter(nats)
  const request = {
    processors: [
      row('/short/', { timeout: SHORT_MS }),
      row('/short_required/', { timeout: SHORT_MS, required: true }),
      row('/long/', { timeout: LONG_MS }),
      row('/long_required/', { timeout: LONG_MS, required: true }),
    ],
  }
  const routers = ['/short/', '/short_required/', '/long/', '/long_required/'].map((path) => ({
    path,
    outbound: { url: llm.url },
  }))
  gateway = await startGatewayProcess({ nats, config: { request, routers } })
})
after(async () => {
  await gateway.close()
  await processor.stop()
  await records.close()
  await llm.close()
  await nats.close()
})

type AnsweredCall = { readonly status: number; readonly code: unknown; readonly error: unknown }

async function ask(path: string): Promise<AnsweredCall> {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${gateway.url}${path}${CHAT.slice(1)}`, { method: 'POST', headers, body })
  const { error } = JSON.parse(await answer.text())
  const id = answer.headers.get('session-id')
  const record = await records.waitFor(({ record }) => record.transaction_id === id)
  return { status: answer.status, code: error?.code, error: record.field('request.error[0].details') }
}

test('calls that wait for a killed processor are answered at their timeout, with 503 if the processor is required', async () => {
  await using bus = await connectBusClient(nats)
  const delivered = new Journal<BusMessage>()
  await bus.subscribe('llm.gl.tokencounter', (message) => delivered.add(message))
  processor.kill('SIGSTOP')
  await untilStopped(processor.pid)
  const asked = [ask('/short/'), ask('/short_required/')]
  await delivered.waitForCount(2)
  processor.kill('SIGKILL')
  await processor.exited
  const [optional, required] = await Promise.all(asked)
  assert.equal(optional?.status, 200)
  assert.match(String(optional?.error), /^timeout/)
  assert.deepEqual([required?.status, required?.code], [503, 'PROCESSOR_REQUIRED'])
})

/** Waits until the bus has noticed the missing subscriber: an earlier call would wait for its whole timeout. */
async function waitForNoSubscriber(): Promise<void> {
  await using bus = await connectBusClient(nats)
  for (;;) {
    const asked = bus.request('llm.gl.tokencounter', Buffer.from('{}'), 200)
    const code = await asked.then(
      () => undefined,
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined),
    )
    if (code === '503') return
  }
}

test('without a processor a call is answered at once, however long the timeout, with 503 if the processor is required', async () => {
  await waitForNoSubscriber()
  const [optional, required] = await Promise.all([ask('/long/'), ask('/long_required/')])
  assert.equal(optional?.status, 200)
  assert.match(String(optional?.error), /^no responders/)
  assert.deepEqual([required?.status, required?.code], [503, 'PROCESSOR_REQUIRED'])
  assert.match(String(required?.error), /^no responders/)
})

test('killing and restarting a processor under load fails no request that does not require it', async () => {
  const again = await startTokenCounter(nats)
  await using load = startLoad({ port: gateway.port, paths: [`/short${CHAT}`], rate: 200 })
  await load.more(100)
  again.kill('SIGKILL')
  await again.exited
  await load.more(100)
  processor = await startTokenCounter(nats)
  assert.deepEqual(await ask('/long_required/'), { status: 200, code: undefined, error: undefined })
  await load.stop()
  assert.deepEqual([load.failed, load.failures], [0, []])
})
