import type { Measurement } from './measure.ts'
import { type BenchOptions, type SizeName, TARGETS, type TargetName } from './options.ts'
import { median } from './percentiles.ts'

type PickFigure = (measurement: Measurement) => number

/** Returns the tables of a run as Markdown, with medians over the valid rounds. */
export function report(measurements: readonly Measurement[], options: BenchOptions): string {
  const valid = measurements.filter(({ invalid }) => invalid === undefined)
  const of = (phase: Measurement['phase']): readonly Measurement[] => valid.filter((each) => each.phase === phase)
  const perCpuSecond: PickFigure = ({ requests, cpuSeconds }) => requests / cpuSeconds
  const latency = of('latency')
  const sections = [
    table('Requests per CPU-second of the process', options, of('throughput'), perCpuSecond, whole, ['direct']),
    ratios('Share of the node:http floor', options, of('throughput'), perCpuSecond),
    table('CPU-ms of the bus per 1,000 requests', options, recorded(of('throughput')), busCost, whole),
    table(
      options.rate === undefined ? 'Requests per second, closed loop' : `Requests per second, at most ${options.rate}`,
      options,
      of('throughput'),
      ({ requests, seconds }) => requests / seconds,
      whole,
    ),
    added('Added p50 at a low fixed rate, ms (direct: its own)', options, latency, ({ latency: { p50 } }) => p50),
    added('Added p99 at a low fixed rate, ms (direct: its own)', options, latency, ({ latency: { p99 } }) => p99),
    added(
      'Added time to first SSE byte, p50 ms (direct: its own)',
      options,
      of('sse'),
      ({ firstByte: { p50 } }) => p50,
    ),
    added(
      'Streams that begin and end together: added time to first byte, p50 ms (direct: its own)',
      options,
      of('bursts'),
      ({ firstByte: { p50 } }) => p50,
    ),
    table(
      'Streams that begin and end together: travel of their chunks, p99 ms',
      options,
      of('bursts'),
      travel,
      twoDecimals,
    ),
    ratios('Travel of these chunks, as a share of the node:http floor', options, of('bursts'), travel),
    table('New upstream connections per 1,000 requests', options, of('throughput'), connections, twoDecimals),
    table('RSS after the closed loop, MiB', options, of('throughput'), ({ residentMegabytes: rss }) => rss, whole, [
      'direct',
    ]),
    memory(of('rss')),
    unrecordedCalls(valid),
    invalidRounds(measurements),
  ]
  return sections.filter((section) => section !== '').join('\n\n')
}

const busCost: PickFigure = ({ natsCpuSeconds, requests }) => (natsCpuSeconds * 1_000_000) / requests
const travel: PickFigure = ({ travel: chunks }) => chunks?.p99 ?? Number.NaN
const connections: PickFigure = ({ newUpstreamConnections, requests }) => (newUpstreamConnections * 1_000) / requests
const whole = (value: number): string =>
  value >= 1_000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
const twoDecimals = (value: number): string => value.toFixed(2)

function recorded(measurements: readonly Measurement[]): readonly Measurement[] {
  return measurements.filter(({ target }) => target.startsWith('gateway-') && target !== 'gateway-off')
}

function table(
  title: string,
  options: BenchOptions,
  measurements: readonly Measurement[],
  pick: PickFigure,
  print: (value: number) => string,
  without: readonly TargetName[] = [],
): string {
  return grid(title, options, measurements, without, (target, size) => {
    const value = medianOf(measurements, target, size, pick)
    return Number.isFinite(value) ? print(value) : '–'
  })
}

/** Returns the gateway's figures as shares of the floor's in the same run. */
function ratios(title: string, options: BenchOptions, measurements: readonly Measurement[], pick: PickFigure): string {
  const others = TARGETS.filter((name) => !name.startsWith('gateway'))
  return grid(title, options, measurements, others, (target, size) => {
    const share = medianOf(measurements, target, size, pick) / medianOf(measurements, 'floor', size, pick)
    return Number.isFinite(share) ? `${Math.round(share * 100)} %` : '–'
  })
}

/** Returns the medians of the differences to `direct` in the same round. */
function added(title: string, options: BenchOptions, measurements: readonly Measurement[], pick: PickFigure): string {
  const direct = (size: SizeName, round: number): number => {
    const found = measurements.find((each) => each.target === 'direct' && each.size === size && each.round === round)
    return found === undefined ? Number.NaN : pick(found)
  }
  return grid(title, options, measurements, [], (target, size) => {
    const over: PickFigure = (each) => pick(each) - (target === 'direct' ? 0 : direct(size, each.round))
    const value = medianOf(measurements, target, size, over)
    return Number.isFinite(value) ? twoDecimals(value) : '–'
  })
}

function memory(measurements: readonly Measurement[]): string {
  if (measurements.length === 0) return ''
  const lines = measurements.map(({ target, size, round, residentMegabytes: rss }) => {
    return `| ${target} | ${size} | ${round.toLocaleString('en')} | ${rss.toFixed(1)} |`
  })
  return [
    '**RSS over a long run**',
    '',
    '| target | body | after requests | MiB |',
    '| --- | --- | --- | --- |',
    ...lines,
  ].join('\n')
}

/** Lists calls without a record: they cost CPU time but don't count. */
function unrecordedCalls(measurements: readonly Measurement[]): string {
  const lines = measurements
    .filter(({ unrecorded }) => unrecorded > 0)
    .map(({ phase, target, size, round, requests, unrecorded }) => {
      return `- ${phase} ${target} ${size} round ${round}: ${unrecorded} of ${requests + unrecorded}`
    })
  return lines.length === 0 ? '' : ['**Calls without a record**', '', ...lines].join('\n')
}

function invalidRounds(measurements: readonly Measurement[]): string {
  const lines = measurements
    .filter(({ invalid }) => invalid !== undefined)
    .map(({ phase, target, size, round, invalid }) => `- ${phase} ${target} ${size} round ${round}: ${invalid}`)
  return lines.length === 0 ? '' : ['**Left out of the medians**', '', ...lines].join('\n')
}

function grid(
  title: string,
  options: BenchOptions,
  measurements: readonly Measurement[],
  without: readonly TargetName[],
  cell: (target: TargetName, size: SizeName) => string,
): string {
  const targets = options.targets.filter(
    (target) => !without.includes(target) && measurements.some((each) => each.target === target),
  )
  const sizes = options.sizes.filter((size) => measurements.some((each) => each.size === size))
  if (targets.length === 0 || sizes.length === 0) return ''
  const rows = targets.map((target) => `| ${[target, ...sizes.map((size) => cell(target, size))].join(' | ')} |`)
  const rule = `| ${['---', ...sizes.map(() => '--:')].join(' | ')} |`
  return [`**${title}**`, '', `| | ${sizes.join(' | ')} |`, rule, ...rows].join('\n')
}

function medianOf(measurements: readonly Measurement[], target: TargetName, size: SizeName, pick: PickFigure): number {
  return median(measurements.filter((each) => each.target === target && each.size === size).map(pick))
}
