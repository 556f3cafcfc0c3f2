import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '../fake/api-server.ts'
import { describeCall } from './api-call.ts'
import { describeOperator, type FaultScene, requestsOf, startFaultScene, writesOf } from './fault-scene.ts'
import { danglingReferences, holdWrite, type WritePoint } from './hold-write.ts'
import { mixedProcessors, mixedSet } from './mixed-set.ts'
import { assertSameState, readState } from './settled-state.ts'
import { untilSettled, untilStarted } from './until-settled.ts'
import { inParallel, until, untilQuiet } from './wait.ts'

// Rules: docs/reference/kubernetes.md#delivery, docs/reference/kubernetes.md#ownership

const CASES_AT_ONCE = 4
const QUIET_MS = 3_000
/** The quiet time before each reading of the state, which is read again until it is as expected. */
const SHORT_QUIET_MS = 700
/** Far longer than the time between two requests. */
const NEVER_MS = 15_000
const LEAST_WRITES = 20
/** `make soak` kills the operator at each write, which takes six minutes, and `make test` at each tenth one. */
const STEP = process.env.SOAK_SECONDS === undefined ? 10 : 1

describe(`the operator is killed at writes of a full reconciliation, in steps of ${STEP}`, {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: FaultScene
  before(async () => {
    scene = await startFaultScene()
  })
  after(() => scene?.close())

  test('the operator reaches the same state as without the crash, and no generated Secret changes', async (t) => {
    const reference = await runUndisturbed(scene)
    t.diagnostic(`${reference.writes.length} writes: ${reference.writes.join(', ')}`)
    assert.ok(reference.writes.length >= LEAST_WRITES)
    const missed: number[] = []
    const counts = reference.writes.map((_, index) => index + 1).filter((count) => count % STEP === 0)
    await inParallel(counts, CASES_AT_ONCE, async (count) => {
      if (!(await crashedAt(scene, count, reference.state))) missed.push(count)
    })
    // Parallel work takes a varying number of writes: more, the later the pods came.
    t.diagnostic(`never reached: ${missed.join(', ')}`)
    assert.deepEqual(
      missed.filter((count) => count <= LEAST_WRITES),
      [],
    )
  })
})

/** Runs the reconciliation without faults. Returns its state and its writes. */
async function runUndisturbed(scene: FaultScene) {
  const prefix = 'c000-'
  await scene.admin.apply(...resourcesOf(prefix))
  const operator = await scene.startOperator(classOf(prefix))
  await untilSettled(scene, operator, { prefix, quietMs: QUIET_MS })
  const writes = writesOf(operator, prefix).map(({ call }) => describeCall(call))
  const state = await readState(scene.admin, prefix)
  await scene.stop(operator)
  return { writes, state }
}

/**
 * Kills one operator before a write and the next operator after its first write. A third operator must reach the
 * expected state. Returns false if a write never came.
 */
async function crashedAt(scene: FaultScene, count: number, expected: readonly string[]): Promise<boolean> {
  const prefix = `c1${String(count).padStart(2, '0')}-`
  const what = `killed before and after write ${count}`
  await scene.admin.apply(...resourcesOf(prefix))
  const isBefore = await killedAt(scene, prefix, { count, where: 'before' })
  const tokens = [...(await generatedSecrets(scene, prefix))]
  const isAfter = await killedAt(scene, prefix, { count: 1, where: 'after' })
  tokens.push(...(await generatedSecrets(scene, prefix)))

  const third = await scene.startOperator(classOf(prefix))
  // Without this wait, an operator that writes nothing could be judged before it has read the cluster.
  await untilStarted(third)
  const isThere = async (): Promise<true | undefined> => {
    await untilQuiet(() => writesOf(third, prefix).length, SHORT_QUIET_MS)
    return JSON.stringify(await readState(scene.admin, prefix)) === JSON.stringify(expected) || undefined
  }
  await until(what, isThere, { withinMs: 180_000 }).catch(() => undefined)
  assertSameState(await readState(scene.admin, prefix), expected, `${what}\n${describeOperator(third)}`)
  for (const [name, token] of tokens) assert.equal((await generatedSecrets(scene, prefix)).get(name), token, what)
  await scene.stop(third)
  return isBefore && isAfter
}

/** Starts an operator and kills it at a write; false if the write never came. */
async function killedAt(scene: FaultScene, prefix: string, point: WritePoint): Promise<boolean> {
  const gate = holdWrite(prefix, point)
  const proxy = await scene.startProxy()
  proxy.add(gate.rule)
  const operator = await scene.startOperator(classOf(prefix), { proxy })
  await untilStarted(operator)
  const isOver = () => performance.now() - (requestsOf(operator).at(-1)?.at ?? 0) > NEVER_MS
  await until(`write ${point.count}`, () => gate.reached || isOver() || undefined)
  operator.program.kill('SIGKILL')
  await operator.program.exited
  gate.drop()
  await scene.kill(operator)
  const dangling = await danglingReferences(scene.admin, `${prefix}llm`)
  assert.deepEqual(dangling, [], `killed ${point.where} write ${point.count}: configuration without its values`)
  await scene.forgetLease(operator.gatewayClass)
  return gate.reached
}

function classOf(prefix: string): string {
  return prefix.slice(0, -1)
}

function resourcesOf(prefix: string): readonly object[] {
  return [...mixedSet(prefix, classOf(prefix)), ...mixedProcessors(prefix)]
}

/** Returns the uids and contents of generated Secrets. */
async function generatedSecrets(scene: FaultScene, prefix: string): Promise<ReadonlyMap<string, string>> {
  const secrets = await scene.admin.list('Secret', `${prefix}llm`)
  const ours = secrets.filter(({ metadata }) => metadata.name.endsWith('-token'))
  return new Map(ours.map(({ metadata, data }) => [metadata.name, JSON.stringify([metadata.uid, data])]))
}
