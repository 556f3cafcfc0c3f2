import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '../fake/api-server.ts'
import type { Admin } from './admin.ts'
import { editRound, untilRoundIsLive } from './edit-round.ts'
import { describeOperator, type FaultScene, type ProxiedOperator, startFaultScene, writesOf } from './fault-scene.ts'
import { danglingReferences, holdWrite } from './hold-write.ts'
import { mixedSet, routerOf } from './mixed-set.ts'
import { until } from './wait.ts'

// Rules: docs/reference/kubernetes.md#delivery

/** Least number of writes of a round: values, configuration, a nudge for each pod, pruned values and statuses. */
const LEAST_WRITES = 8
/** Far longer than the time between two writes. */
const NEVER_MS = 8_000
/**
 * `make soak` kills the operator both before and after each write. `make test` kills it before the odd writes and after
 * the even writes.
 */
const STEP = process.env.SOAK_SECONDS === undefined ? 2 : 1
const SIDES = [
  { where: 'before', first: 1 },
  { where: 'after', first: STEP },
] as const

describe(`the operator is killed at writes of an edit, in steps of ${STEP}`, {
  skip: whyNoApiServer(process.env),
  concurrency: true,
}, () => {
  let scene: FaultScene
  before(async () => {
    scene = await startFaultScene()
  })
  after(() => scene?.close())

  for (const { where, first } of SIDES) {
    test(`${where} the write: no configuration ever lacks its values, and the edit becomes live`, async (t) => {
      const prefix = `${where}-`
      const gatewayClass = `edit-${where}`
      const namespace = `${prefix}llm`
      await scene.admin.apply(...mixedSet(prefix, gatewayClass))
      await edit(scene.admin, prefix, 1)
      await recover(scene, await scene.startOperator(gatewayClass), prefix, 1)
      let count = first - STEP
      let serial = 1
      for (let isReached = true; isReached; ) {
        count += STEP
        serial += 1
        await edit(scene.admin, prefix, serial)
        const proxy = await scene.startProxy()
        const gate = holdWrite(prefix, { count, where })
        proxy.add(gate.rule)
        const operator = await scene.startOperator(gatewayClass, { proxy })
        isReached = await isReachedWithin(() => gate.reached, operator, prefix, count)
        operator.program.kill('SIGKILL')
        await operator.program.exited
        gate.drop()
        await scene.kill(operator)
        assert.deepEqual(await danglingReferences(scene.admin, namespace), [], `killed ${where} write ${count}`)
        await scene.forgetLease(gatewayClass)
        await recover(scene, await scene.startOperator(gatewayClass), prefix, serial)
      }
      t.diagnostic(`killed ${where} every write from ${first} to ${count - STEP}, in steps of ${STEP}`)
      assert.ok(count > LEAST_WRITES, `write ${count} never came`)
    })
  }
})

/** Makes a round of edits and changes a literal, which gets a new name for its value. */
async function edit(admin: Admin, prefix: string, serial: number): Promise<void> {
  await editRound(admin, prefix, serial)
  const outbound = { url: 'https://res.example/', headers: { Price: [`$${serial}`] } }
  await admin.apply(routerOf({ namespace: `${prefix}llm`, name: 'literal' }, { outbound }))
}

/** Waits for a write; false if the edit took fewer writes. */
async function isReachedWithin(
  isHeld: () => boolean,
  operator: ProxiedOperator,
  prefix: string,
  count: number,
): Promise<boolean> {
  // A long pause after enough writes means that the last write has passed; fewer writes may mean a slow start.
  const isOver = () => {
    const writes = writesOf(operator, prefix)
    return writes.length >= LEAST_WRITES && performance.now() - (writes.at(-1)?.at ?? 0) > NEVER_MS
  }
  await until(`write ${count}`, () => isHeld() || isOver() || undefined)
  return isHeld()
}

/** Waits until the edit is live, then kills the operator. */
async function recover(scene: FaultScene, operator: ProxiedOperator, prefix: string, serial: number): Promise<void> {
  try {
    await untilRoundIsLive(scene.admin, prefix, serial)
    await until('the old value is gone', async () => {
      const values = await scene.admin.get({ kind: 'Secret', namespace: `${prefix}llm`, name: 'main-values' })
      const texts = Object.values(values?.data ?? {}).map((text) => Buffer.from(String(text), 'base64').toString())
      return texts.includes(`$${serial}`) && !texts.includes(`$${serial - 1}`) ? true : undefined
    })
  } catch (cause) {
    throw new Error(describeOperator(operator), { cause })
  }
  await scene.kill(operator)
  await scene.forgetLease(operator.gatewayClass)
}
