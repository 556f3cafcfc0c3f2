import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { whyNoApiServer } from '../fake/api-server.ts'
import type { Admin } from './admin.ts'
import { says } from './edit-round.ts'
import { describeOperator, type FaultScene, type ProxiedOperator, startFaultScene } from './fault-scene.ts'
import { createRandom, type Random } from './random.ts'
import { assertSameState, readState } from './settled-state.ts'
import { untilSettled, untilStarted } from './until-settled.ts'
import { until } from './wait.ts'
import { createWalk } from './walk.ts'
import { madeIn, wipe } from './wipe.ts'

// Rules: docs/reference/kubernetes.md#variables, docs/reference/kubernetes.md#paths,
// docs/reference/kubernetes.md#processors, docs/reference/kubernetes.md#ownership

/** Seconds in which new walks begin: `make test` takes the walks that begin at once, and `make soak` those of an hour. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? '1')
/** The first seed. A failed walk can be repeated with its own seed. */
const FIRST_SEED = Number(process.env.SOAK_SEED ?? '1')
const WALKS_AT_ONCE = 3
/** The garbage collector learns of new kinds every 30 s. */
const PATIENCE = { withinMs: 180_000, everyMs: 250 }
const STEPS = 30
const MAX_PAUSE_MS = 250
/** Longer than the five seconds, counted anew by each operator, after which a Processor's unneeded objects go. */
const QUIET_MS = 8_000

describe('random walks over specs', { skip: whyNoApiServer(process.env) }, () => {
  let scene: FaultScene
  before(async () => {
    scene = await startFaultScene()
  })
  after(() => scene?.close())

  test('wherever a random walk ends, the objects are those that a fresh operator makes', async (t) => {
    const end = performance.now() + SECONDS * 1_000
    let seed = FIRST_SEED
    const work = async (): Promise<void> => {
      while (performance.now() < end) {
        seed += 1
        await walked(scene, seed - 1)
      }
    }
    await Promise.all(Array.from({ length: WALKS_AT_ONCE }, work))
    t.diagnostic(`seeds ${FIRST_SEED} to ${seed - 1}`)
    assert.ok(seed > FIRST_SEED)
  })
})

async function walked(scene: FaultScene, seed: number): Promise<void> {
  const random = createRandom(seed)
  const prefix = `w${String(seed).padStart(5, '0')}-`
  const gatewayClass = prefix.slice(0, -1)
  const walk = createWalk(scene.admin, random, { prefix, gatewayClass })
  const steps: string[] = []
  await walk.begin()
  let operator = await scene.startOperator(gatewayClass)
  for (let count = 0; count < STEPS; count += 1) {
    steps.push(await walk.step())
    await pause(random.below(MAX_PAUSE_MS))
    if (!random.chance(0.06)) continue
    steps.push('restart')
    operator = await restartOperator(scene, operator, random)
  }
  await untilFinished(scene, operator, prefix)
  const walkedTo = await readState(scene.admin, prefix)
  await scene.stop(operator)
  await wipe(scene.admin, prefix)
  const fresh = await scene.startOperator(gatewayClass)
  const isSame = async () => JSON.stringify(await readState(scene.admin, prefix)) === JSON.stringify(walkedTo)
  await until('a fresh install', async () => (await isSame()) || undefined, { ...PATIENCE, everyMs: 300 }).catch(
    () => undefined,
  )
  await untilFinished(scene, fresh, prefix)
  const what = `SOAK_SEED=${seed}: ${steps.join(', ')}; + walked, - fresh\n${describeOperator(fresh)}\n`
  assertSameState(walkedTo, await readState(scene.admin, prefix), what)
  await scene.stop(fresh)
  for (const name of [`${prefix}llm`, `${prefix}team`, `lease-${gatewayClass}`]) {
    await scene.admin.remove({ kind: 'Namespace', name })
  }
}

async function restartOperator(scene: FaultScene, operator: ProxiedOperator, random: Random): Promise<ProxiedOperator> {
  if (random.chance(0.5)) await scene.stop(operator)
  else {
    await scene.kill(operator)
    await scene.forgetLease(operator.gatewayClass)
  }
  return scene.startOperator(operator.gatewayClass)
}

/** Waits until the garbage collector is done, no object waits for a name and no write came for a while. */
async function untilFinished(scene: FaultScene, operator: ProxiedOperator, prefix: string): Promise<void> {
  const { admin } = scene
  await untilStarted(operator)
  await until('orphans are gone', async () => ((await areLeft(admin, prefix)) ? undefined : true), PATIENCE)
  await until('every name is free', async () => ((await isWaiting(admin, prefix)) ? undefined : true), PATIENCE)
  await untilSettled(scene, operator, { prefix, quietMs: QUIET_MS })
}

async function areLeft(admin: Admin, prefix: string): Promise<boolean> {
  const owners = (await Promise.all(['LLMGateway', 'Processor'].map((kind) => admin.list(kind)))).flat()
  const uids = new Set(owners.map(({ metadata }) => metadata.uid))
  return (await madeIn(admin, prefix)).some(({ metadata }) =>
    metadata.ownerReferences?.some(({ controller, uid }) => controller === true && !uids.has(uid)),
  )
}

async function isWaiting(admin: Admin, prefix: string): Promise<boolean> {
  const gateway = await admin.get({ kind: 'LLMGateway', namespace: `${prefix}llm`, name: 'main' })
  return says(gateway, 'Accepted', 'False', 'NameConflict')
}
