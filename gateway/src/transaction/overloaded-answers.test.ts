import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowProcessor } from '../config/runtime-config.ts'
import { bodySource } from '../upstream/body-source-under-test.ts'
import { type BodyFailure, InboundBody } from '../upstream/inbound-body.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith, type Noted } from './transact-under-test.ts'

// Rules: docs/reference/errors.md#error-types, docs/reference/http.md#errors

/** Returns an LLM API that answers with this body. */
function answering(body: InboundBody): Upstream {
  return {
    send: async () => ({ kind: 'answered', inbound: { status: 200, headers: new Map(), body } }),
    close: async () => undefined,
  }
}

const failures: readonly (readonly [code: BodyFailure, errorType: string])[] = [
  ['OVERLOADED', 'gateway_overloaded'],
  ['UPSTREAM_RESET', 'provider_stream'],
  ['UPSTREAM_TIMEOUT', 'provider_stream'],
]

for (const [code, errorType] of failures) {
  test(`an answer that breaks off with ${code} has the error type ${errorType}`, async () => {
    const answers: (Answer | 'begun' | 'destroyed')[] = []
    const noted: Noted[] = []
    const body = new InboundBody(bodySource({ resume: () => body.fail(code) }))
    const gateway = gatewayWith(answering(body), [], noted)
    await transact(callWith(answers), gateway)
    await gateway.bus.close()
    assert.deepEqual(answers, ['begun', 'destroyed'])
    assert.deepEqual(
      noted.map((each) => each.errorType),
      [errorType],
    )
  })
}

/** A processor that needs no payload, so that the answer isn't collected. */
const PROCESSOR: RowProcessor = {
  ...{ name: 'sync', subject: 'sync', timeoutMs: 1_000, modifier: false, required: false, async: false },
  ...{ input: { include: new Set(['inbound_status_code']), exclude: new Set() }, inputKey: '', writes: new Set() },
  ...{ routers: undefined, rerouteTo: undefined },
}

type Ended = readonly [name: string, end: (body: InboundBody) => void, status: number, errorType: string]

const endings: readonly Ended[] = [
  ['whose bytes find no room', (body) => body.fail('OVERLOADED'), 503, 'gateway_overloaded'],
  ['that breaks off', (body) => body.fail('UPSTREAM_RESET'), 502, 'provider_connect'],
  ['that stops', (body) => body.fail('UPSTREAM_TIMEOUT'), 504, 'provider_timeout'],
  ['that ends', (body) => body.end(), 200, ''],
]

for (const [name, end, status, errorType] of endings) {
  test(`an answer ${name} while response rows run gets the status ${status}`, async () => {
    const answers: (Answer | 'begun' | 'destroyed')[] = []
    const noted: Noted[] = []
    const body = new InboundBody(bodySource())
    const gateway = gatewayWith(answering(body), [], noted)
    const { bus, live } = gateway
    bus.call = async () => {
      body.push(Buffer.from('{}'))
      end(body)
      return { kind: 'failed', error: 'timeout' }
    }
    const responseRows = { everywhere: [{ position: 0, sync: [PROCESSOR], async: [] }], byRouter: new Map() }
    await transact(callWith(answers), { ...gateway, live: { ...live, current: { ...live.current, responseRows } } })
    await bus.close()
    assert.deepEqual(
      answers.map((answer) => (typeof answer === 'string' ? answer : answer.status)),
      [status],
    )
    assert.deepEqual(
      noted.map((each) => each.errorType),
      [errorType],
    )
    assert.equal(gateway.account.heldBytes, 0)
  })
}

test('an answer that breaks off while it waits for its turn gets an error', async () => {
  const answers: (Answer | 'begun' | 'destroyed')[] = []
  const body = new InboundBody(bodySource())
  const gateway = gatewayWith(answering(body), [], [])
  const upstream: Upstream = {
    ...answering(body),
    send: async (...parameters) => {
      setImmediate(() => body.fail('UPSTREAM_RESET'))
      // This turn has no steps left for the answer.
      gateway.callTurns.take('/other/', 1_000)
      return answering(body).send(...parameters)
    },
  }
  await transact(callWith(answers), { ...gateway, upstream })
  await gateway.bus.close()
  assert.deepEqual(
    answers.map((answer) => (typeof answer === 'string' ? answer : answer.headers.map(({ values }) => values))),
    [[['UPSTREAM_RESET']]],
  )
})
