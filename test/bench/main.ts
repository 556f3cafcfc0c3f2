// `make bench`: interleaved rounds over the targets. Prints Markdown tables and writes every measurement to a JSON
// file. No result passes or fails by time: on a shared machine only ratios within a run are meaningful.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { dirname, resolve } from 'node:path'
import { DEFAULT_BUS_PREFIX, loggerSubject } from '@llm-gateway/protocol'
import { type NatsServer, startNatsServer } from '../fake/nats-server.ts'
import { type BenchProcess, LOAD_CORE, pinnedTo, startBenchProcess } from './bench-process.ts'
import { startCharacterCount } from './character-count.ts'
import {
  type Bench,
  type Measurement,
  measureBursts,
  measureLatency,
  measureMemory,
  measureStream,
  measureThroughput,
  warmUp,
} from './measure.ts'
import { type BenchOptions, parseOptions, type TargetName, USAGE } from './options.ts'
import { report } from './report.ts'
import { startTarget, type Target } from './targets.ts'

async function runBench(options: BenchOptions, note: (text: string) => void): Promise<readonly Measurement[]> {
  const closers: (() => Promise<void>)[] = []
  const closing = <T extends { stop(): Promise<void> }>(started: T): T => {
    closers.unshift(() => started.stop())
    return started
  }
  try {
    const nats = await startNatsServer({
      token: 'bench',
      jetstream: true,
      jetstreamExtra: 'max_file: 1GB',
      wrap: pinnedTo(LOAD_CORE),
    })
    closers.unshift(() => nats.close())
    const upstream = closing(startBenchProcess('upstream.ts'))
    const { port: upstreamPort } = await upstream.next<{ port: number }>()
    const load = closing(await startLoad(nats))
    if (options.targets.includes('gateway-sync')) {
      const processor = await startCharacterCount(nats)
      closers.unshift(async () => void (await processor.stop()))
    }
    const { routers, profile, other } = options
    const context = { upstreamPort, nats, routers, profile, other: other === undefined ? undefined : resolve(other) }
    // The first start after a change of the sources loads Node's TypeScript stripper: 15 MiB that no bundle has.
    if (options.targets.some((name) => name.startsWith('gateway')))
      await (await startTarget('gateway-off', context))?.stop()
    if (other !== undefined) await (await startTarget('gateway-other', context))?.stop()
    const targets: Target[] = []
    for (const name of options.targets) {
      const target = await startTarget(name, context)
      if (target !== undefined) targets.push(closing(target))
    }
    return await measureAll({ options, load, upstream, natsPid: nats.pid }, targets, note)
  } finally {
    for (const close of closers) await close()
  }
}

async function startLoad(nats: NatsServer): Promise<BenchProcess> {
  const load = startBenchProcess('load.ts', [String(nats.port), 'bench', loggerSubject(DEFAULT_BUS_PREFIX)])
  await load.next()
  return load
}

/** In `gateway-kept`, records wait for the stream's acknowledgement, as by default. */
const RSS_TARGETS: ReadonlySet<TargetName> = new Set(['floor', 'gateway-on', 'gateway-kept'])

/** Measures all targets in each round, so that a slow minute of the machine affects them all. */
async function measureAll(
  bench: Bench,
  targets: readonly Target[],
  note: (text: string) => void,
): Promise<readonly Measurement[]> {
  const { phases, rounds, sizes, rssRequests } = bench.options
  const measurements: Measurement[] = []
  const add = (measurement: Measurement): void => {
    measurements.push(measurement)
    note(progress(measurement))
  }
  for (const target of targets) await warmUp(bench, target)
  for (const size of sizes) {
    for (let round = 1; round <= rounds; round += 1) {
      for (const target of targets) {
        const place = { target, size, round }
        if (phases.includes('throughput')) add(await measureThroughput(bench, place))
        if (phases.includes('latency')) add(await measureLatency(bench, place))
        if (phases.includes('sse') && size === sizes[0]) add(await measureStream(bench, place))
        if (phases.includes('bursts') && size === sizes[0]) add(await measureBursts(bench, place))
      }
    }
  }
  if (!phases.includes('rss')) return measurements
  const size = sizes.includes('10KB') ? '10KB' : (sizes[0] ?? '10KB')
  for (const target of targets.filter(({ name }) => RSS_TARGETS.has(name))) {
    const half = Math.floor(rssRequests / 2)
    add(await measureMemory(bench, { target, size, round: half }, half))
    add(await measureMemory(bench, { target, size, round: rssRequests }, rssRequests - half))
  }
  return measurements
}

function progress(measurement: Measurement): string {
  const {
    phase,
    target,
    size,
    round,
    requests,
    cpuSeconds: cpu,
    latency,
    firstByte,
    residentMegabytes: rss,
    waits,
    travel,
    unrecorded,
  } = measurement
  const figures = [
    `${requests} requests`,
    `${cpu > 0 ? Math.round(requests / cpu) : '–'} per CPU-s`,
    `p50 ${latency.p50.toFixed(2)} p99 ${latency.p99.toFixed(2)} first ${firstByte.p50.toFixed(2)} ms`,
    `RSS ${rss.toFixed(0)} MiB`,
    ...(travel === undefined ? [] : [`chunks p50 ${travel.p50.toFixed(2)} p99 ${travel.p99.toFixed(2)} ms`]),
    ...(unrecorded > 0 ? [`${unrecorded} calls without a record`] : []),
    ...(waits > 0 ? [`waited ${waits} times for records`] : []),
    measurement.invalid ?? '',
  ]
  return `${phase} ${size} ${target} #${round}: ${figures.filter(Boolean).join(', ')}`
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  let options: BenchOptions
  try {
    options = parseOptions(argv)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`)
    return 2
  }
  const startedAt = new Date().toISOString()
  const measurements = await runBench(options, (text) => process.stderr.write(`${text}\n`))
  const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version }
  await mkdir(dirname(options.out), { recursive: true })
  await writeFile(options.out, `${JSON.stringify({ startedAt, machine, options, measurements }, undefined, 2)}\n`)
  const { rounds, seconds } = options
  const head = `${machine.cores} × ${machine.cpu}, Node ${machine.node}, ${rounds} rounds of ${seconds} s, ${options.text} bodies`
  process.stdout.write(`${head}\n\n${report(measurements, options)}\n\n${options.out}\n`)
  return 0
}

process.exitCode = await main(process.argv.slice(2))
