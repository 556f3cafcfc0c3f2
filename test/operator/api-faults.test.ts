import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { whyNoApiServer } from '../fake/api-server.ts'
import { isWrite } from './api-call.ts'
import type { FaultRule } from './api-proxy.ts'
import { editRound, untilRoundIsLive } from './edit-round.ts'
import { describeOperator, type FaultScene, type ProxiedOperator, startFaultScene } from './fault-scene.ts'
import { mixedSet } from './mixed-set.ts'

// Rules: docs/reference/kubernetes.md#watches, docs/reference/kubernetes.md#queue

const CLASS = 'faulty'
const PREFIX = 'faulty-'
const FAULT_MS = 3_000
/** A watch that failed for a long time is tried again every 30 s. */
const PATIENCE_MS = 120_000
/** Bound for an operator that backs off while no request succeeds; each of its watches, some twenty, asks again. */
const MAX_REQUESTS_PER_SECOND = 60

/** Each fault lasts for a round of edits and FAULT_MS. */
const FAULTS: readonly { readonly what: string; readonly rule: (count: number) => FaultRule }[] = [
  { what: 'answers 429 with Retry-After', rule: () => () => answer(429, { 'retry-after': '1' }) },
  { what: 'answers 500', rule: () => () => answer(500) },
  {
    what: 'answers 410 to every watch',
    rule:
      () =>
      ({ verb }) =>
        verb === 'watch' ? answer(410) : undefined,
  },
  {
    what: 'answers 409 to each status',
    rule:
      () =>
      ({ subresource }) =>
        subresource === 'status' ? answer(409) : undefined,
  },
  {
    what: 'answers 409 to each write of values',
    rule: () => (call) => (isWrite(call) && call.name.endsWith('-values') ? answer(409) : undefined),
  },
  { what: 'takes a second for each answer', rule: () => () => ({ kind: 'delay', ms: 1_000 }) },
  {
    what: 'loses every request before it arrives',
    rule:
      () =>
      ({ resource }) =>
        resource === 'leases' ? undefined : { kind: 'drop', where: 'before' },
  },
  {
    what: 'executes each write and loses the answer',
    rule: () => (call) => (isWrite(call) ? { kind: 'drop', where: 'after' } : undefined),
  },
]

function answer(status: number, headers: Record<string, string> = {}) {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason: 'Test' }
  return { kind: 'answer', status, headers, body } as const
}

describe('the operator and an API server that misbehaves', { skip: whyNoApiServer(process.env) }, () => {
  let scene: FaultScene
  let operator: ProxiedOperator
  let serial = 0
  before(async () => {
    scene = await startFaultScene()
    await scene.admin.apply(...mixedSet(PREFIX, CLASS))
    // Without a lease the operator survives an API server that is away for 10 s; with one, the leader would exit.
    operator = await scene.startOperator(CLASS, { leaderElect: false })
    await live(await round())
  })
  afterEach(() =>
    assert.equal(
      operator.program.lines.entries.some((line) => line.includes('INTERNAL')),
      false,
    ),
  )
  after(() => scene?.close())

  const round = async (): Promise<number> => {
    serial += 1
    await editRound(scene.admin, PREFIX, serial)
    return serial
  }
  const live = async (count: number): Promise<number> => {
    try {
      return await untilRoundIsLive(scene.admin, PREFIX, count, PATIENCE_MS)
    } catch (cause) {
      throw new Error(describeOperator(operator), { cause })
    }
  }

  for (const { what, rule } of FAULTS) {
    test(`an API server that ${what} is asked again, not too often, and no change is missed`, async (t) => {
      const before = operator.proxy.received.total
      const began = performance.now()
      const mend = operator.proxy.add(onlyOf(rule(serial)))
      const count = await round()
      await pause(FAULT_MS)
      mend()
      const perSecond = ((operator.proxy.received.total - before) / (performance.now() - began)) * 1_000
      t.diagnostic(`${Math.round(perSecond)} requests a second, live ${Math.round(await live(count))} ms later`)
      assert.ok(perSecond < MAX_REQUESTS_PER_SECOND, `${perSecond} requests a second`)
    })
  }

  test('no edit is missed while every watch is cut every 5 s', async (t) => {
    const cuts = setInterval(operator.proxy.cutWatches, 5_000)
    try {
      const lags: number[] = []
      for (let count = 0; count < 4; count += 1) {
        lags.push(Math.round(await live(await round())))
        await pause(2_000)
      }
      t.diagnostic(`live after ${lags.join(', ')} ms`)
    } finally {
      clearInterval(cuts)
    }
  })

  test('the operator goes on when the killed API server is back', async (t) => {
    await scene.server.apiServer.kill('SIGKILL')
    await pause(FAULT_MS)
    await scene.server.apiServer.start()
    t.diagnostic(`live after ${Math.round(await live(await round()))} ms`)
  })

  test('changes from before the oldest revision that etcd keeps are listed anew', async (t) => {
    const mend = operator.proxy.add(({ verb }) => (verb === 'watch' ? { kind: 'drop', where: 'before' } : undefined))
    operator.proxy.cutWatches()
    const count = await round()
    await scene.server.compact()
    // The restart also empties the server's own watch cache.
    await scene.server.apiServer.restart()
    const before = operator.proxy.answered.entries.length
    mend()
    t.diagnostic(`live after ${Math.round(await live(count))} ms`)
    const after = operator.proxy.answered.entries.slice(before)
    assert.ok(
      after.some(({ call }) => call.verb === 'list' && call.resource === 'routers'),
      'Routers were listed again',
    )
  })
})

/** Limits a rule to the API server: requests to the stand-in for pods pass. */
function onlyOf(rule: FaultRule): FaultRule {
  return (call) => (call.subresource === 'proxy' ? undefined : rule(call))
}
