import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '../fake/api-server.ts'
import { describeCall } from './api-call.ts'
import type { FaultRule } from './api-proxy.ts'
import { describeOperator, type FaultScene, startFaultScene, writesOf } from './fault-scene.ts'
import { danglingReferences, holdWrite, type Moment } from './hold-write.ts'
import { mixedProcessors, mixedSet } from './mixed-set.ts'
import { assertSameState, readState } from './settled-state.ts'
import { inParallel, until, untilQuiet } from './wait.ts'

const CASES_AT_ONCE = 4
const QUIET_MS = 3_000
/** A look is some twenty calls: only where nothing is written. */
const SHORT_QUIET_MS = 700
/** A run ends within a fraction of this. */
const NEVER_MS = 15_000
const LEAST_WRITES = 20

describe('the operator is killed at each write of a full reconciliation', { skip: whyNoApiServer(process.env) }, () => {
  let scene: FaultScene
  before(async () => {
    scene = await startFaultScene()
  })
  after(() => scene?.close())

  test('kubernetes 3: it ends where it would have ended, and no generated Secret changes', async (t) => {
    const reference = await undisturbed(scene)
    t.diagnostic(`${reference.writes.length} writes: ${reference.writes.join(', ')}`)
    assert.ok(reference.writes.length >= LEAST_WRITES)
    const cases = reference.writes.flatMap((_, index) =>
      (['before', 'after'] as const).map((where) => ({ count: index + 1, where })),
    )
    const missed: string[] = []
    await inParallel(cases, CASES_AT_ONCE, async (one) => {
      if (!(await crashed(scene, one, reference.state))) missed.push(`${one.where} ${one.count}`)
    })
    // What goes on side by side doesn't always take the same number of writes.
    assert.ok(missed.length <= 4, `never reached: ${missed.join(', ')}`)
  })
})

/** The state and the writes of a run that nothing disturbs. */
async function undisturbed(scene: FaultScene) {
  const prefix = 'c000-'
  const operator = await begun(scene, prefix)
  await until('the first write', () => writesOf(operator, prefix)[0])
  await untilQuiet(() => writesOf(operator, prefix).length, QUIET_MS)
  const writes = writesOf(operator, prefix).map(({ call }) => describeCall(call))
  const state = await readState(scene.admin, prefix)
  await scene.stop(operator)
  return { writes, state }
}

/** One operator killed at a write and another started; false: the write never came. */
async function crashed(scene: FaultScene, { count, where }: Moment, expected: readonly string[]): Promise<boolean> {
  const prefix = `c${where === 'before' ? '1' : '2'}${String(count).padStart(2, '0')}-`
  const what = `killed ${where} write ${count}`
  const gate = holdWrite(prefix, { count, where })
  const first = await begun(scene, prefix, gate.rule)
  const began = performance.now()
  await until(what, () => gate.reached || performance.now() - began > NEVER_MS || undefined)
  first.program.kill('SIGKILL')
  await first.program.exited
  gate.drop()
  await scene.kill(first)
  assert.deepEqual(
    await danglingReferences(scene.admin, `${prefix}llm`),
    [],
    `${what}: configuration without its values`,
  )
  const tokens = await generated(scene, prefix)
  await scene.forgetLease(first.gatewayClass)

  const second = await scene.startOperator(first.gatewayClass)
  // Where nothing is left to do it still has to find that out.
  await until('its watches', () => second.proxy.received.entries.find(({ call }) => call.verb === 'watch'))
  const isThere = async (): Promise<true | undefined> => {
    await untilQuiet(() => writesOf(second, prefix).length, SHORT_QUIET_MS)
    return JSON.stringify(await readState(scene.admin, prefix)) === JSON.stringify(expected) || undefined
  }
  await until(what, isThere, { withinMs: 60_000 }).catch(() => undefined)
  assertSameState(await readState(scene.admin, prefix), expected, `${what}\n${describeOperator(second)}`)
  for (const [name, token] of tokens) assert.equal((await generated(scene, prefix)).get(name), token, what)
  await scene.stop(second)
  return gate.reached
}

async function begun(scene: FaultScene, prefix: string, rule?: FaultRule) {
  const gatewayClass = prefix.slice(0, -1)
  await scene.admin.apply(...mixedSet(prefix, gatewayClass), ...mixedProcessors(prefix))
  const proxy = await scene.startProxy()
  if (rule !== undefined) proxy.add(rule)
  return scene.startOperator(gatewayClass, proxy)
}

/** Generated Secrets: uid and content. */
async function generated(scene: FaultScene, prefix: string): Promise<ReadonlyMap<string, string>> {
  const secrets = await scene.admin.list('Secret', `${prefix}llm`)
  const ours = secrets.filter(({ metadata }) => metadata.name.endsWith('-token'))
  return new Map(ours.map(({ metadata, data }) => [metadata.name, JSON.stringify([metadata.uid, data])]))
}
