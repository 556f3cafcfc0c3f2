import type { BenchProcess } from './bench-process.ts'
import { BURST, BURST_PATH_MARK } from './burst-answer.ts'
import type { LoadAnswer, LoadCommand } from './load.ts'
import { type BenchOptions, SIZES, type SizeName, type TargetName } from './options.ts'
import type { Percentiles } from './percentiles.ts'
import { cpuSeconds, residentMegabytes } from './process-cost.ts'
import { ROUTER_PATH, type Target } from './targets.ts'

export type Bench = {
  readonly options: BenchOptions
  readonly load: BenchProcess
  readonly upstream: BenchProcess
  readonly natsPid: number
}

/** A measured stretch of load on a target in a round. */
export type Measurement = {
  readonly phase: 'throughput' | 'latency' | 'sse' | 'bursts' | 'rss'
  readonly target: TargetName
  readonly size: SizeName
  readonly round: number
  /** Number of answered calls; with records, only those whose record came. */
  readonly requests: number
  /** Number of answered calls without a record. */
  readonly unrecorded: number
  readonly seconds: number
  /** CPU seconds of the processes under test, including the delivery of records; 0 for direct. */
  readonly cpuSeconds: number
  readonly natsCpuSeconds: number
  readonly residentMegabytes: number
  readonly newUpstreamConnections: number
  readonly latency: Percentiles
  readonly firstByte: Percentiles
  /** Time from the upstream's write of a chunk to the load's read; bursts only. */
  readonly travel: Percentiles | undefined
  readonly waits: number
  /** The reason why the stretch doesn't count; undefined if it counts. */
  readonly invalid: string | undefined
}

export type MeasuredCase = { readonly target: Target; readonly size: SizeName; readonly round: number }

const ANSWER_MS = 60_000
const FIRST_WARMUP_SECONDS = 3

/** Measures 16 connections, 8 at 1 MB: a closed loop, or an open one at the rate of the options. */
export async function measureThroughput(bench: Bench, measuredCase: MeasuredCase): Promise<Measurement> {
  const connections = measuredCase.size === '1MB' ? 8 : 16
  const { seconds, rate } = bench.options
  return await measure(bench, measuredCase, 'throughput', {
    connections,
    seconds,
    ...(rate === undefined ? {} : { rate }),
  })
}

/** Measures an open loop at a rate far below every target's limit. */
export async function measureLatency(bench: Bench, measuredCase: MeasuredCase): Promise<Measurement> {
  const rate = measuredCase.size === '1MB' ? 20 : 100
  return await measure(bench, measuredCase, 'latency', { connections: 16, rate, seconds: bench.options.seconds })
}

/** Measures an open loop of streamed calls by the first byte of the body. */
export async function measureStream(bench: Bench, measuredCase: MeasuredCase): Promise<Measurement> {
  return await measure(bench, measuredCase, 'sse', { connections: 16, rate: 50, seconds: bench.options.seconds })
}

/** Measures repeated bursts of 16 streams that begin and end together. */
export async function measureBursts(bench: Bench, measuredCase: MeasuredCase): Promise<Measurement> {
  return await measure(bench, measuredCase, 'bursts', { connections: BURST.streams, seconds: bench.options.seconds })
}

/** Measures memory over a number of requests. */
export async function measureMemory(bench: Bench, measuredCase: MeasuredCase, requests: number): Promise<Measurement> {
  return await measure(bench, measuredCase, 'rss', { connections: 16, seconds: 600, requests })
}

/** Compiles hot code before the first round, which would otherwise be slower. */
export async function warmUp(bench: Bench, target: Target): Promise<void> {
  const { seconds, warmupSeconds, phases } = bench.options
  if (warmupSeconds === 0) return
  const measuredCase: MeasuredCase = { target, size: '10KB', round: 0 }
  const load = { connections: 16, seconds: Math.max(seconds, FIRST_WARMUP_SECONDS) }
  await measure(bench, measuredCase, 'throughput', load)
  // A burst has 16 calls a second, which compile nothing: streams are compiled by a closed loop of them.
  if (phases.includes('sse') || phases.includes('bursts')) await measure(bench, measuredCase, 'sse', load)
}

async function measure(
  bench: Bench,
  { target, size, round }: MeasuredCase,
  phase: Measurement['phase'],
  load: Pick<LoadCommand, 'connections' | 'seconds' | 'rate' | 'requests'>,
): Promise<Measurement> {
  const bursts = phase === 'bursts'
  const stream = phase === 'sse' || bursts
  const folder = phase === 'sse' ? 'sse/' : bursts ? BURST_PATH_MARK.slice(1) : ''
  const base = {
    port: target.port,
    path: `${ROUTER_PATH}${folder}v1/chat/completions`,
    bytes: SIZES[size],
    text: bench.options.text,
    stream,
    bursts,
    records: target.records,
  }
  if (bench.options.warmupSeconds > 0 && phase !== 'rss') {
    await ask(bench.load, { ...base, ...load, seconds: bench.options.warmupSeconds })
  }
  const connections = await connectionCount(bench.upstream)
  const [cpu, natsCpu] = [await cpuSeconds(target.pids), await cpuSeconds([bench.natsPid])]
  const result = await ask(bench.load, { ...base, ...load })
  return {
    phase,
    target: target.name,
    size,
    round,
    requests: result.ok - unrecorded(result),
    unrecorded: unrecorded(result),
    seconds: result.seconds,
    cpuSeconds: (await cpuSeconds(target.pids)) - cpu,
    natsCpuSeconds: (await cpuSeconds([bench.natsPid])) - natsCpu,
    residentMegabytes: await residentMegabytes(target.pids),
    newUpstreamConnections: (await connectionCount(bench.upstream)) - connections,
    latency: result.latency,
    firstByte: result.firstByte,
    travel: result.travel,
    waits: result.waits,
    invalid: whyInvalid(result),
  }
}

async function ask(load: BenchProcess, order: LoadCommand): Promise<LoadAnswer> {
  const answer = await load.ask<LoadAnswer | { failed: string }>(order, order.seconds * 1_000 + ANSWER_MS)
  if ('failed' in answer) throw new Error(`the load failed: ${answer.failed}`)
  return answer
}

async function connectionCount(upstream: BenchProcess): Promise<number> {
  return (await upstream.ask<{ connections: number }>({})).connections
}

function unrecorded({ ok, records }: LoadAnswer): number {
  return records === undefined ? 0 : ok - records.received
}

/** Returns the reason why a stretch doesn't count: a failed call, or a record that differs from its call. */
function whyInvalid({ ok, errors, records }: LoadAnswer): string | undefined {
  if (errors > 0) return `${errors} of ${ok + errors} calls failed`
  if (ok === 0) return 'no call was answered'
  if (records === undefined) return undefined
  if (records.wrong > 0) return `${records.wrong} records differ from the sent payloads`
  if (records.disconnected > 0) return 'the subscriber lost its connection'
  if (records.received > ok) return `${ok} calls, ${records.received} records`
  if (records.received === 0) return 'no record came'
  return undefined
}
