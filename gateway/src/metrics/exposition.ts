import type { TextPieces } from '../work/text-pieces.ts'
import type { Histogram } from './histogram.ts'

/**
 * A metric and its series in the Prometheus text format (exposition format 0.0.4). Each series is a text of one or more
 * lines, without the last line end.
 */
export type Family = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: () => Iterable<string>
}

/** Returns labels as `router="/a/",type="input"`, in the given order, with escaped values and without braces. */
export function labelsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeValue(value)}"`)
    .join(',')
}

export function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`
}

/** @param labels at least one */
export function histogramSamples(name: string, labels: string, histogram: Histogram): string {
  const counts = histogram.cumulative()
  const lines = counts.map((count, i) => `${name}_bucket{${labels},le="${histogram.bounds[i] ?? '+Inf'}"} ${count}`)
  lines.push(`${name}_sum{${labels}} ${histogram.sum}`, `${name}_count{${labels}} ${counts.at(-1) ?? 0}`)
  return lines.join('\n')
}

/** Adds the text of all families in slices, so that 20,000 routers don't delay a request for a second. */
export async function expose(families: readonly Family[], text: TextPieces): Promise<void> {
  for (const { name, help, type, samples } of families) {
    text.add(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
    for (const sample of samples()) if (text.add(`${sample}\n`)) await text.pause()
  }
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}
