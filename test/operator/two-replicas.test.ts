import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { whyNoApiServer } from '../fake/api-server.ts'
import { describeCall } from './api-call.ts'
import { type FaultScene, type ProxiedOperator, startFaultScene, writesOf } from './fault-scene.ts'
import { holdWrite } from './hold-write.ts'
import { mixedSet } from './mixed-set.ts'
import { until } from './wait.ts'

// Rules: docs/reference/kubernetes.md#lease

const CLASS = 'pair'
const PREFIX = 'pair-'
const EDIT_EVERY_MS = 200
const EXIT_MS = 60_000
/** Long enough to see a write by a replica that may not write. */
const LOOK_MS = 3_000
/** Longer than any wait in this test, so the lease's request never gets an answer. */
const AWAY_MS = 300_000

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
    // Continuous edits, so that there is always something to write.
    editing = keepEditing(scene, stop.signal)
  })
  after(async () => {
    stop.abort()
    await editing
    await scene?.close()
  })

  /** Starts a replica that is ready to lead but doesn't. */
  const standBy = async (): Promise<ProxiedOperator> => {
    const other = await scene.startOperator(CLASS)
    await until('the caches of the standby are filled', () =>
      other.proxy.received.entries.find(({ call }) => call.verb === 'watch' && call.resource === 'routers'),
    )
    await pause(LOOK_MS)
    assert.deepEqual(writesOf(other), [], 'the standby writes nothing')
    return other
  }
  const noWritesOf = (old: ProxiedOperator, since: number): void =>
    assert.deepEqual(
      writesOf(old)
        .filter(({ at }) => at > since)
        .map(({ call }) => describeCall(call)),
      [],
      'the old leader writes although another replica leads',
    )

  test('an operator that gets SIGTERM releases the lease and writes no more, and the other replica writes', async (t) => {
    const next = await standBy()
    const began = performance.now()
    leader.program.kill('SIGTERM')
    const first = await firstWrite(next)
    t.diagnostic(`handed over in ${Math.round(first - began)} ms`)
    assert.deepEqual(await leader.program.exited, { code: 0, signal: null })
    noWritesOf(leader, first)
    assert.equal(eventOfSilence(next), undefined, 'the lease was released, so no leader fell silent')
    leader = next
  })

  test('when an operator is killed, the other replica leads once the lease has expired', async (t) => {
    const next = await standBy()
    const began = performance.now()
    leader.program.kill('SIGKILL')
    const first = await firstWrite(next)
    t.diagnostic(`succeeded in ${Math.round(first - began)} ms`)
    await until('the event about the silent leader', () => eventOfSilence(next))
    leader = next
  })

  test('an operator that was suspended past its lease ends before its next write', async () => {
    const next = await standBy()
    const { program, proxy } = leader
    // The leader stops during its work: its next write would follow at once, and the delayed lease can't warn it.
    const gate = holdWrite(PREFIX, { count: 1, where: 'after' })
    proxy.add(gate.rule)
    await until('a write is under way', () => gate.reached || undefined)
    program.kill('SIGSTOP')
    const first = await firstWrite(next)
    proxy.add(({ resource }) => (resource === 'leases' ? { kind: 'delay', ms: AWAY_MS } : undefined))
    gate.pass()
    program.kill('SIGCONT')
    const exit = await Promise.race([program.exited, pause(EXIT_MS, 'the old leader goes on' as const, { ref: false })])
    assert.deepEqual(exit, { code: 1, signal: null })
    noWritesOf(leader, first)
    const ended = performance.now()
    await until('a write of the new leader', () => writesOf(next).find(({ at }) => at > ended))
  })
})

/** Returns the event of a lease that was taken because its holder went silent. A returned lease has no such event. */
function eventOfSilence({ proxy }: ProxiedOperator) {
  return proxy.received.entries.find(({ call }) => call.resource === 'events' && call.namespace === `lease-${CLASS}`)
}

/** Returns the time of the first write on performance.now(). */
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
