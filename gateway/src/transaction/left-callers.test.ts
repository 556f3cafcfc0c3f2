import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowProcessor, RuntimeConfig } from '../config/runtime-config.ts'
import { Header, type HeaderMap } from '../http/headers.ts'
import type { Metrics } from '../metrics.ts'
import { bodySource } from '../upstream/body-source-under-test.ts'
import { InboundBody } from '../upstream/inbound-body.ts'
import type { Upstream, UpstreamAnswer } from '../upstream/upstream.ts'
import { RecordsUnderTest } from './records-under-test.ts'
import { transact } from './transact.ts'
import { type Answer, callWith, gatewayWith, type Noted } from './transact-under-test.ts'
import type { Call, Gateway } from './transaction.ts'

// Rules: docs/reference/record.md#other-outcomes, docs/reference/http.md#errors

/** A caller that leaves when told. */
class Caller {
  readonly answers: (Answer | 'begun' | 'destroyed')[] = []
  readonly #listeners: (() => void)[] = []
  #hasLeft = false

  leave(): void {
    this.#hasLeft = true
    for (const listener of this.#listeners) listener()
  }

  call(): Call {
    const hasLeft = (): boolean => this.#hasLeft
    const signal = {
      get cancelled() {
        return hasLeft()
      },
      onCancel: (listener: () => void) => void this.#listeners.push(listener),
    }
    return { ...callWith(this.answers), signal }
  }
}

const USAGE = '{"usage":{"prompt_tokens":3,"completion_tokens":4}}'
const LAST_EVENTS = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n'

type Ending = (body: InboundBody) => void
const atOnce: Ending = (body) => body.end()
/** Ends the body a turn after the call has begun to read it: a body that is whole before has no piece on its way. */
const later: Ending = (body) => {
  const attach = body.attach.bind(body)
  body.attach = (consumer) => {
    attach(consumer)
    setImmediate(() => body.end())
  }
}

function answerOf(headers: Readonly<Record<string, string>>, text: string, end: Ending): UpstreamAnswer {
  const body = new InboundBody(bodySource())
  body.push(Buffer.from(text))
  end(body)
  const map: HeaderMap = new Map(Object.entries(headers).map(([name, value]) => [name, new Header(name, [value])]))
  return { kind: 'answered', inbound: { status: 200, headers: map, body } }
}

const json = { 'content-type': 'application/json' }
const stream = { 'content-type': 'text/event-stream' }

type Outcome = { readonly status: number; readonly errorType: string }
const LEFT: Outcome = { status: 499, errorType: 'caller_cancelled' }
const ANSWERED: Outcome = { status: 200, errorType: '' }

const answers: readonly (readonly [name: string, answer: () => UpstreamAnswer, outcome: Outcome])[] = [
  ['has no byte of its answer', () => answerOf(json, USAGE, atOnce), LEFT],
  ['has no byte of an error of the gateway', () => ({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' }), LEFT],
  ['lacks the end of an answer in pieces', () => answerOf(json, USAGE, later), LEFT],
  [
    'lacks the last piece of a stream of known length',
    () => answerOf({ ...stream, 'content-length': String(LAST_EVENTS.length) }, LAST_EVENTS, later),
    LEFT,
  ],
  ['has all events of a stream', () => answerOf(stream, LAST_EVENTS, later), ANSWERED],
]

for (const [name, answer, { status, errorType }] of answers) {
  test(`the record of a caller that ${name}, and leaves while the journal writes, has the status ${status}`, async () => {
    const caller = new Caller()
    const records = new RecordsUnderTest(true, () => caller.leave())
    const noted: Noted[] = []
    const upstream: Upstream = { send: async () => answer(), close: async () => undefined }
    const gateway = { ...gatewayWith(upstream, [], noted), records }
    await transact(caller.call(), gateway)
    await gateway.bus.close()
    assert.equal(records.journalled.length, 1)
    assert.deepEqual(
      records.published.map((bytes) => JSON.parse(String(bytes)).response.egress_status_code),
      [status],
    )
    assert.deepEqual(
      noted.map((each) => each.errorType),
      [errorType],
    )
    // Nothing is written to a caller that has left.
    assert.deepEqual(
      caller.answers.filter((each) => typeof each !== 'string'),
      [],
    )
  })
}

test('a caller that leaves before the last piece of its stream has not all events, with a journal', async () => {
  const caller = new Caller()
  const headers = { ...stream, 'content-length': String(LAST_EVENTS.length) }
  const leave: Ending = () => void setImmediate(() => caller.leave())
  const upstream: Upstream = {
    send: async () => answerOf(headers, LAST_EVENTS, leave),
    close: async () => undefined,
  }
  const noted: Noted[] = []
  const gateway = { ...gatewayWith(upstream, [], noted), records: new RecordsUnderTest(true) }
  await transact(caller.call(), gateway)
  await gateway.bus.close()
  assert.deepEqual(
    noted.map(({ errorType }) => errorType),
    [LEFT.errorType],
  )
})

test('the tokens of an answer count, although its caller leaves while the journal writes', async () => {
  for (const end of [atOnce, later]) {
    const caller = new Caller()
    const records = new RecordsUnderTest(true, () => caller.leave())
    const upstream: Upstream = { send: async () => answerOf(json, USAGE, end), close: async () => undefined }
    const tokens: number[] = []
    const statuses: number[] = []
    const gateway = gatewayWith(upstream, [], [])
    const metrics: Metrics = {
      ...gateway.metrics,
      tokensUsed: (used) => void tokens.push(used.tokens),
      requestEnded: ({ status }) => void statuses.push(status),
    }
    await transact(caller.call(), { ...gateway, metrics, records })
    await gateway.bus.close()
    assert.deepEqual([tokens, statuses], [[3, 4], [LEFT.status]])
  }
})

const REQUIRED: RowProcessor = {
  ...{ name: 'silent', subject: 'silent', timeoutMs: 1_000, modifier: false, required: true, async: false },
  ...{ input: { include: undefined, exclude: new Set() }, inputKey: '', writes: new Set() },
  ...{ routers: undefined, rerouteTo: undefined },
}

const unreached: Upstream = { send: () => assert.fail('not sent'), close: async () => undefined }

type Wait = { readonly call?: Partial<Call>; readonly gateway?: Partial<Gateway> }
type Waits = (gateway: Gateway, leave: () => void) => Wait

/** The waits of the gateway during which a caller leaves, and the statuses of the calls' records. */
const waits: readonly (readonly [name: string, waits: Waits, recorded: readonly number[]])[] = [
  [
    'a required processor stays silent',
    ({ bus, live }, leave) => {
      const requestRows = { everywhere: [{ position: 0, sync: [REQUIRED], async: [] }], byRouter: new Map() }
      const current: RuntimeConfig = { ...live.current, requestRows }
      bus.call = async () => {
        leave()
        return { kind: 'failed', error: 'timeout' }
      }
      return { gateway: { live: { ...live, current } } }
    },
    [499],
  ],
  [
    'a body does not arrive in time',
    (_, leave) => {
      const readBody: Call['readBody'] = async () => {
        leave()
        return { kind: 'refused', code: 'REQUEST_TIMEOUT' }
      }
      return { call: { method: 'POST', hasBody: true, bodyBytes: 1, readBody } }
    },
    [499],
  ],
  [
    'records have no room',
    (_, leave) => {
      const records = new RecordsUnderTest(false)
      const waitForRoom = async (): Promise<boolean> => {
        leave()
        return false
      }
      return { gateway: { records: Object.assign(records, { waitForRoom }) } }
    },
    [],
  ],
]

for (const [name, wait, recorded] of waits) {
  test(`a caller that leaves while ${name} counts as gone, not as refused`, async () => {
    const caller = new Caller()
    const noted: Noted[] = []
    const statuses: number[] = []
    const whole = gatewayWith(unreached, [], noted)
    const metrics: Metrics = { ...whole.metrics, requestEnded: ({ status }) => void statuses.push(status) }
    const records = new RecordsUnderTest(false)
    const { call, gateway } = wait(whole, () => caller.leave())
    await transact({ ...caller.call(), ...call }, { ...whole, records, metrics, ...gateway })
    await whole.bus.close()
    assert.deepEqual(statuses, [LEFT.status])
    assert.deepEqual(
      records.published.map((bytes) => JSON.parse(String(bytes)).response.egress_status_code),
      recorded,
    )
    assert.deepEqual(
      [...new Set(noted.map(({ errorType }) => errorType))],
      recorded.map(() => LEFT.errorType),
    )
    assert.deepEqual(caller.answers, ['destroyed'])
  })
}

test('a call without its key counts as refused, although its caller has left', async () => {
  const caller = new Caller()
  caller.leave()
  const records = new RecordsUnderTest(false)
  const gateway = { ...gatewayWith(unreached, [], []), records }
  await transact({ ...caller.call(), target: '/key/' }, gateway)
  await gateway.bus.close()
  assert.deepEqual(
    records.published.map((bytes) => JSON.parse(String(bytes)).response.egress_status_code),
    [401],
  )
})
