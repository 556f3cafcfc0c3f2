import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { whyNoApiServer } from '../fake/api-server.ts'
import { describeCall } from './api-call.ts'
import { type FaultScene, type ProxiedOperator, startFaultScene, writesOf } from './fault-scene.ts'
import { holdWrite } from './hold-write.ts'
import { mixedSet } from './mixed-set.ts'
import { until } from './wait.ts'

const CLASS = 'pair'
const PREFIX = 'pair-'
const GRACEFUL_MS = 3_000
const KILLED_MS = 20_000
const EDIT_EVERY_MS = 200
/** Long enough that a write of one who may not write would be seen. */
const LOOK_MS = 3_000

describe('two replicas of the operator', { skip: whyNoApiServer(process.env) }, () => {
  let scene: FaultScene
  let leader: ProxiedOperator
  const stop = new AbortController()
  let editing = Promise.resolve()
  before(async () => {
    scene = await startFaultScene()
    await scene.admin.apply(...mixedSet(PREFIX, CLASS))
    leader = await scene.startOperator(CLASS)
    await firstWrite(leader)
    // There is always something to write.
    editing = keepEditing(scene, stop.signal)
  })
  after(async () => {
    stop.abort()
    await editing
    await scene?.close()
  })

  /** Another one that is ready to lead and doesn't. */
  const standBy = async (): Promise<ProxiedOperator> => {
    const other = await scene.startOperator(CLASS)
    await until('its caches are filled', () =>
      other.proxy.received.entries.find(({ call }) => call.verb === 'watch' && call.resource === 'routers'),
    )
    await pause(LOOK_MS)
    assert.deepEqual(writesOf(other), [], 'one writes at a time')
    return other
  }
  const noWritesOf = (old: ProxiedOperator, since: number): void =>
    assert.deepEqual(
      writesOf(old)
        .filter(({ at }) => at > since)
        .map(({ call }) => describeCall(call)),
      [],
      'it writes although another one leads',
    )

  test('kubernetes 5: who is told to end gives the lease back: the other writes within 3 s, and it no more', async (t) => {
    const next = await standBy()
    const began = performance.now()
    leader.program.kill('SIGTERM')
    const first = await firstWrite(next)
    t.diagnostic(`handed over in ${Math.round(first - began)} ms`)
    assert.ok(first - began < GRACEFUL_MS, `${first - began} ms`)
    assert.deepEqual(await leader.program.exited, { code: 0, signal: null })
    noWritesOf(leader, first)
    leader = next
  })

  test('kubernetes 5: one that is killed is succeeded within 20 s', async (t) => {
    const next = await standBy()
    const began = performance.now()
    leader.program.kill('SIGKILL')
    const first = await firstWrite(next)
    t.diagnostic(`succeeded in ${Math.round(first - began)} ms`)
    assert.ok(first - began < KILLED_MS, `${first - began} ms`)
    leader = next
  })

  test('kubernetes 5: one that was stopped and goes on ends before its next write', async () => {
    const next = await standBy()
    const { program, proxy } = leader
    // In the middle of its work: the next write follows at once, and the lease is no quick way to learn that it was taken.
    const gate = holdWrite(PREFIX, { count: 1, where: 'after' })
    proxy.add(gate.rule)
    await until('a write is under way', () => gate.reached || undefined)
    program.kill('SIGSTOP')
    const first = await firstWrite(next)
    proxy.add(({ resource }) => (resource === 'leases' ? { kind: 'delay', ms: LOOK_MS } : undefined))
    gate.pass()
    program.kill('SIGCONT')
    const exit = await Promise.race([program.exited, pause(LOOK_MS, 'it goes on' as const)])
    assert.deepEqual(exit, { code: 1, signal: null })
    noWritesOf(leader, first)
    await pause(LOOK_MS)
    assert.ok(
      writesOf(next).some(({ at }) => at > performance.now() - LOOK_MS),
      'the other goes on',
    )
  })
})

/** When it came, on performance.now(). */
async function firstWrite(operator: ProxiedOperator): Promise<number> {
  const found = await until('a write', () => writesOf(operator)[0], { everyMs: 10 })
  return found.at
}

async function keepEditing({ admin }: FaultScene, signal: AbortSignal): Promise<void> {
  for (let serial = 0; !signal.aborted; serial += 1) {
    const spec = { outbound: { headers: { 'X-Serial': [String(serial)] } } }
    await admin.merge({ kind: 'Router', namespace: `${PREFIX}llm`, name: 'plain' }, { spec })
    await pause(EDIT_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}
