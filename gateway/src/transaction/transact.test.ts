import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodySource } from '../upstream/body-source-under-test.ts'
import { InboundBody } from '../upstream/inbound-body.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith, type Noted } from './transact-under-test.ts'

// Rules: docs/reference/http.md#errors, docs/reference/errors.md#codes

const SECRET = 'planted-secret'

test('a fault in a transaction becomes 500 INTERNAL for caller and record, is logged by name, and never rejects', async () => {
  const logs: string[] = []
  const noted: Noted[] = []
  const answers: Answer[] = []
  const broken: Upstream = {
    send: () => {
      throw new TypeError(`a bug that holds a ${SECRET}`)
    },
    close: async () => undefined,
  }
  const gateway = gatewayWith(broken, logs, noted)
  await transact(callWith(answers), gateway)
  await gateway.bus.close()
  assert.equal(answers.length, 1)
  const [answer] = answers
  assert.equal(answer?.status, 500)
  const { error } = JSON.parse(answer?.body ?? '')
  assert.deepEqual([error.code, error.type], ['INTERNAL', 'gateway_internal'])
  assert.deepEqual(
    noted.map(({ errorType }) => errorType),
    ['gateway_internal'],
  )
  const failed = logs.filter((line) => JSON.parse(line).msg === 'transaction failed')
  assert.deepEqual(
    failed.map((line) => JSON.parse(line).name),
    ['TypeError'],
  )
  assert.ok(![...logs, answer?.body].join('').includes(SECRET))
})

test('a fault after an answer has begun cuts that answer and never rejects', async () => {
  const logs: string[] = []
  const noted: Noted[] = []
  const answers: (Answer | 'begun' | 'destroyed')[] = []
  class BrokenBody extends InboundBody {
    override attach(): void {
      throw new TypeError('a bug')
    }
  }
  const body = new BrokenBody(bodySource())
  const broken: Upstream = {
    send: async () => ({ kind: 'answered', inbound: { status: 200, headers: new Map(), body } }),
    close: async () => undefined,
  }
  const gateway = gatewayWith(broken, logs, noted)
  await transact(callWith(answers), gateway)
  await gateway.bus.close()
  assert.deepEqual(answers, ['begun', 'destroyed'])
  assert.deepEqual(
    noted.map(({ errorType }) => errorType),
    ['gateway_internal'],
  )
})

test('a fault before anything takes the body of an answer ends the call to the LLM API', async () => {
  const answers: (Answer | 'begun' | 'destroyed')[] = []
  let aborts = 0
  const upstream: Upstream = {
    send: async ({ account }) => {
      const body = new InboundBody(bodySource({ account, abort: () => (aborts += 1) }))
      body.push(Buffer.alloc(1_000))
      return { kind: 'answered', inbound: { status: 200, headers: new Map(), body } }
    },
    close: async () => undefined,
  }
  const gateway = gatewayWith(upstream, [], [])
  const call = callWith(answers)
  const writeHead = (): void => {
    throw new TypeError('a bug')
  }
  await transact({ ...call, createReply: (...session) => ({ ...call.createReply(...session), writeHead }) }, gateway)
  await gateway.bus.close()
  assert.equal(aborts, 1)
  assert.equal(gateway.account.heldBytes, 0)
})

test('a fault before a transaction is opened ends only that connection, and is logged by name', async () => {
  const logs: string[] = []
  const gateway = gatewayWith({ send: () => assert.fail('not sent'), close: async () => undefined }, logs, [])
  let cuts = 0
  const broken = {
    ...callWith([]),
    get rawHeaders(): readonly string[] {
      throw new RangeError(`a bug that holds a ${SECRET}`)
    },
    cut: () => {
      cuts += 1
    },
  }
  await transact(broken, gateway)
  await gateway.bus.close()
  assert.equal(cuts, 1)
  assert.ok(logs.some((line) => JSON.parse(line).msg === 'call failed' && JSON.parse(line).name === 'RangeError'))
  assert.ok(!logs.join('').includes(SECRET))
})

for (const [name, rawHeaders, noted] of [
  ['with its router’s key is noted for the router', ['Api-Key', 'k'], ['/key/']],
  ['without its router’s key is not noted for the router', [], []],
] as const) {
  test(`a call ${name}`, async () => {
    const gateway = gatewayWith({ send: () => assert.fail('not sent'), close: async () => undefined }, [], [])
    const routers: string[] = []
    const call = { ...callWith([]), target: '/key/x', rawHeaders, noteRouter: (path: string) => routers.push(path) }
    await transact(call, gateway)
    await gateway.bus.close()
    assert.deepEqual(routers, noted)
  })
}
