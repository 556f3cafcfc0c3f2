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

test('an answer whose bytes find no room while response rows run gets OVERLOADED', async () => {
  const answers: (Answer | 'begun' | 'destroyed')[] = []
  const noted: Noted[] = []
  const body = new InboundBody(bodySource())
  const gateway = gatewayWith(answering(body), [], noted)
  const { bus, live } = gateway
  bus.call = async () => {
    body.fail('OVERLOADED')
    return { kind: 'failed', error: 'timeout' }
  }
  const responseRows = { everywhere: [{ position: 0, sync: [PROCESSOR], async: [] }], byRouter: new Map() }
  await transact(callWith(answers), { ...gateway, live: { ...live, current: { ...live.current, responseRows } } })
  await bus.close()
  const [answer] = answers
  assert.ok(answers.length === 1 && typeof answer === 'object', JSON.stringify(answers))
  assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [503, 'OVERLOADED'])
  assert.deepEqual(
    noted.map((each) => each.errorType),
    ['gateway_overloaded'],
  )
})
