import assert from 'node:assert/strict'
import type { KubeScene } from './kube-scene.ts'

/** The observer's counts; `failed` by outcome, which is a status or a connection's error. */
export type Calls = { readonly calls: number; readonly failed: Readonly<Record<string, number>> }
type Result = Calls & {
  readonly open: number
  readonly slow: number
  readonly failures: readonly { readonly outcome: string }[]
}

export type LoadOptions = {
  readonly url: string
  /** Calls a second; default 100. */
  readonly rate?: number
  /** Size of each body; unset means a short question. With a size the calls have numbers. */
  readonly bytes?: number
}

/** Calls at a fixed rate from the observer's pod, counted for each step. */
export type SteadyLoad = {
  /** Acts, waits for AFTER_CALLS more calls, and returns and prints the counts of the step. */
  during(step: string, act: () => Promise<void>): Promise<Calls>
  /** Like `during`, but fails if a call failed. */
  unharmedBy(step: string, act: () => Promise<void>): Promise<void>
  /** Ends the load once each call has its answer. Returns the total. */
  end(): Promise<Calls>
  /** Returns the numbers of the answered calls. */
  answered(): Promise<ReadonlySet<number>>
}

const AFTER_CALLS = 300

export async function startSteadyLoad(
  scene: KubeScene,
  name: string,
  { url, rate = 100, bytes = 0 }: LoadOptions,
): Promise<SteadyLoad> {
  const query = `name=${name}`
  const read = async (path: string): Promise<Result> => JSON.parse(JSON.stringify(await scene.observe(path)))
  const result = () => read(`/load/result?${query}`)
  await scene.observe(`/load?${query}&rate=${rate}&bytes=${bytes}&url=${encodeURIComponent(url)}`)
  const calledSince = (calls: number) =>
    scene.until(`${AFTER_CALLS} more calls`, async () =>
      (await result()).calls >= calls + AFTER_CALLS ? true : undefined,
    )
  const during = async (step: string, act: () => Promise<void>): Promise<Calls> => {
    const [before, began] = [await result(), performance.now()]
    await act()
    await calledSince((await result()).calls)
    const after = await result()
    const failed = difference(after.failed, before.failed)
    const count = Object.values(failed).reduce((sum, one) => sum + one, 0)
    const seconds = Math.round((performance.now() - began) / 1000)
    console.log(
      `${step}: ${count} of ${after.calls - before.calls} calls failed, ${after.slow - before.slow} took over 2 s, ${seconds} s ${JSON.stringify(failed)}`,
    )
    if (count > 0) console.log(JSON.stringify(after.failures.slice(-10)))
    return { calls: after.calls - before.calls, failed }
  }
  await calledSince(0)
  return {
    during,
    unharmedBy: async (step, act) => assert.deepEqual((await during(step, act)).failed, {}, step),
    end: async () => {
      await scene.observe(`/load/stop?${query}`)
      await scene.until('every answer', async () => ((await result()).open === 0 ? true : undefined))
      return await result()
    },
    answered: async () => new Set(JSON.parse(JSON.stringify(await scene.observe(`/load/answered?${query}`)))),
  }
}

function difference(after: Calls['failed'], before: Calls['failed']): Calls['failed'] {
  const changed = Object.entries(after).map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
  return Object.fromEntries(changed.filter(([, count]) => count > 0))
}
