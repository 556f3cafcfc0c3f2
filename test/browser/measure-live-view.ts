import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { startLoad } from './load.ts'
import { logIn, type Scene } from './scene.ts'

export type LiveViewMeasurements = {
  readonly records: number
  /** Kinds of answers other than 200. */
  readonly failures: readonly string[]
  /** Tasks of the page's main thread of more than 50 ms, in milliseconds. */
  readonly longTasksMs: readonly number[]
  /** CPU time of the page's main thread. */
  readonly cpuMsPerRecord: number
  /** JavaScript's heap after a collection, in the middle and at the end. */
  readonly heapMib: readonly [middle: number, end: number]
  /** Peak memory of the web interface's server. */
  readonly serverMib: number
}

/** 10,000 a minute. */
const PER_SECOND = 167
const LOOK_MS = 1_000
const MIB = 1024 * 1024

/** Makes 10,000 calls a minute while one page watches and another connects and reads nothing. */
export async function measureLiveView(scene: Scene, seconds: number): Promise<LiveViewMeasurements> {
  const page = await scene.open()
  await logIn(page, scene.url)
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await page.getByText('Waiting for calls').waitFor()
  const deaf = await askAndReadNothing(scene)
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(globalThis, { longTasks: times })
    new PerformanceObserver((list) => times.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ['longtask'],
    })
  })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  await using load = startLoad({ url: scene.gateway, paths: ['/echo/'], perSecond: PER_SECOND })
  const before = await metrics(cdp)
  let serverMib = 0
  const lookOn = async (looks: number): Promise<number> => {
    for (let look = 0; look < looks; look += 1) {
      await delay(LOOK_MS)
      serverMib = Math.max(serverMib, rssMib(scene.pid('gui')))
    }
    return await heapMib(cdp)
  }
  const middle = await lookOn(Math.ceil(seconds * 0.6))
  const end = await lookOn(Math.floor(seconds * 0.4))
  const after = await metrics(cdp)
  const longTasksMs: readonly number[] = await page.evaluate(() => Reflect.get(globalThis, 'longTasks'))
  await assertShown(page)
  // A closed page sends no notice.
  await page.close()
  deaf.abort()
  await load.until(load.ended + PER_SECOND)
  const { ended, failures } = await load.stop()
  const cpuMs = (after.get('ThreadTime') ?? 0) - (before.get('ThreadTime') ?? 0)
  const cpuMsPerRecord = (cpuMs * 1_000) / ended
  return { records: ended, failures, longTasksMs, cpuMsPerRecord, heapMib: [middle, end], serverMib }
}

export function describeMeasurements({
  records,
  longTasksMs,
  cpuMsPerRecord,
  heapMib: [middle, end],
  serverMib,
}: LiveViewMeasurements): string {
  const longest = Math.round(Math.max(0, ...longTasksMs))
  return [
    `${records} records`,
    `${longTasksMs.length} tasks over 50 ms, the longest ${longest} ms`,
    `${cpuMsPerRecord.toFixed(2)} ms of the page's main thread a record`,
    `heap ${middle.toFixed(1)} → ${end.toFixed(1)} MiB`,
    `server ${serverMib.toFixed(0)} MiB`,
  ].join('; ')
}

async function assertShown(page: Page): Promise<void> {
  const lines = page.getByRole('region', { name: 'Live' }).getByRole('listitem')
  assert.ok((await lines.count()) > 0, 'the page shows calls')
  await page.getByText('Live, the last 2,000').waitFor()
}

/** Opens an event stream and never reads it: the kernel's buffers fill, and the server must not wait. */
async function askAndReadNothing(scene: Scene): Promise<AbortController> {
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${scene.secret}` }
  const answer = await fetch(`${scene.url}/api/v1/transactions/live`, { headers, signal: leaving.signal })
  assert.equal(answer.status, 200)
  return leaving
}

async function metrics(cdp: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics: found } = await cdp.send('Performance.getMetrics')
  return new Map(found.map(({ name, value }) => [name, value]))
}

async function heapMib(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  return ((await metrics(cdp)).get('JSHeapUsedSize') ?? 0) / MIB
}

function rssMib(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
