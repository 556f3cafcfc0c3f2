import { askAdmin } from './ask-admin.ts'

/** Returns the sum of a metric's series whose labels contain `labels`; 0 if there are none. */
export async function readMetric(
  gateway: { readonly adminUrl: string | undefined },
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const exposition = await askAdmin(gateway, '/metrics')
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  let sum = 0
  for (const line of exposition.split('\n')) {
    const series = line.slice(0, line.lastIndexOf(' '))
    const matches = series === name || series.startsWith(`${name}{`)
    if (matches && wanted.every((label) => series.includes(label))) sum += Number(line.slice(series.length))
  }
  return sum
}

/** Polls a metric until `holds` is true of it. */
export async function metricUntil(
  read: () => Promise<number>,
  holds: (value: number) => boolean,
  timeoutMs = 60_000,
): Promise<number> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    if (performance.now() > end) throw new Error(`the metric is ${value} after ${timeoutMs} ms`)
    // The gateway reports no such event, so its metrics are polled.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
