import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { chat, type ExampleSet, startExampleSet } from '../../fake/example-set.ts'
import type { Program } from '../../fake/program.ts'

// Rules: docs/reference/processors.md#broker

const DEAD = '/pool/dud/'
const REPLICAS = 3
const DISABLED_MS = 6_000
const SHARED_WITHIN_MS = 3_000

/** A call through the pool; the times are the gateway's, in milliseconds. */
type Call = { readonly path: string; readonly status: number; readonly began: number; readonly ended: number }

describe('a pool with a dead member and three brokers', () => {
  let set: ExampleSet
  const brokers: Program[] = []
  before(async () => {
    set = await startExampleSet({ processors: [] })
    const environment = { DISABLED_TIME: String(DISABLED_MS / 60_000) }
    for (let replica = 0; replica < REPLICAS; replica += 1) brokers.push(await set.start('broker', { environment }))
  })
  after(() => set.close())

  const call = async (): Promise<Call> => {
    const { status, record } = await set.ask('/pool/', chat('Hello'))
    const [began, ended] = ['start', 'stop'].map((end) =>
      Date.parse(String(record.field(`response.outbound_inbound_timer.${end}`))),
    )
    return { path: String(record.field('response.gl_path')), status, began: began ?? 0, ended: ended ?? 0 }
  }
  const disablings = (): number[] =>
    brokers.map(
      ({ lines }) => lines.entries.filter((line) => /sub-router disabled/.test(line) && line.includes(DEAD)).length,
    )

  /** Calls until one meets the dead member. All replicas know of the failure then. */
  const untilFailure = async (): Promise<Call> => {
    const known = disablings()
    for (;;) {
      const made = await call()
      if (made.path !== DEAD) {
        assert.equal(made.status, 200)
        continue
      }
      assert.equal(made.status, 502)
      for (const [index, { lines }] of brokers.entries())
        await lines.waitUntil(() => (disablings()[index] ?? 0) > (known[index] ?? 0), {
          what: `replica ${index} to know`,
        })
      return made
    }
  }

  it('of consecutive callers one sees the failure, no other caller until DISABLED_TIME has passed, then one caller again', async () => {
    const failures = [await untilFailure(), await untilFailure(), await untilFailure()]
    for (const [index, { began }] of failures.entries()) {
      const previous = failures[index - 1]
      if (previous !== undefined) assert.ok(began - previous.ended >= DISABLED_MS - 50, `${began - previous.ended} ms`)
    }
  })

  it('of 16 concurrent callers none is sent to the dead member later than 3 s after its first failure', async () => {
    const calls: Call[] = []
    const firstFailure = (): Call | undefined =>
      calls.filter(({ path }) => path === DEAD).toSorted((a, b) => a.ended - b.ended)[0]
    // A second window must begin and last longer than the allowed delay.
    const over = (): boolean => {
      const first = firstFailure()
      return first !== undefined && calls.some(({ began }) => began > first.ended + SHARED_WITHIN_MS + 1_000)
    }
    const caller = async (): Promise<void> => {
      while (!over()) calls.push(await call())
    }
    await Promise.all(Array.from({ length: 16 }, caller))
    const failed = firstFailure()?.ended ?? 0
    // A delayed call may begin when the dead member gets its next chance.
    const [limit, next] = [failed + SHARED_WITHIN_MS, failed + DISABLED_MS - 50]
    const late = calls.filter(({ path, began }) => path === DEAD && began > limit && began < next)
    assert.deepEqual(late, [])
    assert.ok(calls.filter(({ path }) => path !== DEAD).every(({ status }) => status === 200))
  })
})
