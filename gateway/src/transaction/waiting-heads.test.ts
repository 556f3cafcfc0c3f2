import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryAccount } from '../memory/memory-account.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { RecordsUnderTest } from './records-under-test.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith } from './transact-under-test.ts'
import type { Call, Gateway } from './transaction.ts'

// Rules: docs/reference/http.md#memory

const CALLS = 40
const CHARACTERS = 60_000
const LONG_LINE = ['X-Long', 'x'.repeat(CHARACTERS)]
/** The least bytes that the heads of all calls count. */
const HEADS_BYTES = CALLS * 2 * CHARACTERS

const upstream: Upstream = {
  send: async () => ({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' }),
  close: async () => undefined,
}

type Refused = { readonly name: string; readonly status: number; readonly call: Partial<Call> }

const ENCODED = { rawHeaders: [...LONG_LINE, 'Content-Encoding', 'gzip'] }

const REFUSED: readonly Refused[] = [
  { name: 'with a Content-Encoding', status: 415, call: ENCODED },
  {
    name: 'whose body is too long',
    status: 413,
    call: { admitBody: () => ({ kind: 'refused', code: 'BODY_TOO_LARGE' }) },
  },
]

function post(changed: Partial<Call>, answers: Answer[] = []): Call {
  return { ...callWith(answers), method: 'POST', rawHeaders: LONG_LINE, hasBody: true, ...changed }
}

async function gatewayUnderTest(): Promise<Gateway> {
  const gateway = gatewayWith(upstream, [], [])
  await gateway.bus.close()
  return gateway
}

/** Uses up the steps of calls in this turn of the event loop. */
function useUpTurn({ callTurns }: Gateway): void {
  callTurns.take('/other/', 1_000)
}

for (const { name, status, call } of REFUSED) {
  test(`a call ${name} counts with its head while it waits for its turn`, async () => {
    const gateway = await gatewayUnderTest()
    const answers: Answer[][] = Array.from({ length: CALLS }, () => [])
    useUpTurn(gateway)
    const calls = answers.map((each) => transact(post(call, each), gateway))
    await microtasks()
    assert.ok(gateway.account.heldBytes >= HEADS_BYTES, `${gateway.account.heldBytes} bytes`)
    await Promise.all(calls)
    assert.deepEqual([...new Set(answers.map(([answer]) => answer?.status))], [status])
    assert.equal(gateway.account.heldBytes, 0)
  })
}

test('a call counts with its head while it waits for room for its record', async () => {
  const room = Promise.withResolvers<boolean>()
  const records = Object.assign(new RecordsUnderTest(false), { waitForRoom: () => room.promise })
  const gateway = { ...(await gatewayUnderTest()), records }
  const calls = Array.from({ length: CALLS }, () => transact(post({}), gateway))
  await microtasks()
  assert.ok(gateway.account.heldBytes >= HEADS_BYTES, `${gateway.account.heldBytes} bytes`)
  room.resolve(false)
  await Promise.all(calls)
  assert.equal(gateway.account.heldBytes, 0)
})

for (const [name, call, status] of [
  ['is refused', {}, 503],
  ['with a Content-Encoding is refused', ENCODED, 415],
] as const) {
  test(`a call whose head finds no room ${name} without waiting for anything`, async () => {
    const account = new MemoryAccount(CHARACTERS)
    const records = Object.assign(new RecordsUnderTest(true), { waitForRoom: () => assert.fail('waits for room') })
    const gateway = { ...(await gatewayUnderTest()), account, records }
    useUpTurn(gateway)
    const answers: Answer[] = []
    let hasTurnPassed = false
    setImmediate(() => {
      hasTurnPassed = true
    })
    await transact(post(call, answers), gateway)
    assert.equal(hasTurnPassed, false)
    assert.equal(answers[0]?.status, status)
    assert.deepEqual([records.published.length, records.journalled.length], [1, 0])
    // Its record waits for the bus, too, and nobody else would get the memory of that.
    const [bytes] = records.published
    const { request, response } = JSON.parse(String(bytes))
    assert.deepEqual([request, response], [{ gl_path: '/llm/' }, { egress_status_code: status }])
  })
}

/** Waits until no further work of this turn is left. */
async function microtasks(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await Promise.resolve()
}
