import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../fake/free-port.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import { prometheusPrograms } from './promtool.ts'

export type Target = {
  /** `http://127.0.0.1:9464` */
  readonly url: string
  /** The labels that Kubernetes' discovery would add: namespace, pod, gateway. */
  readonly labels: Readonly<Record<string, string>>
}

/** Returns the target of a pod of the gateway `main`. */
export function target(url: string, pod: string): Target {
  return { url, labels: { namespace: 'llm', gateway: 'main', pod } }
}

export type Series = {
  readonly metric: Readonly<Record<string, string>>
  /** Unix seconds and the value as text. */
  readonly values: readonly (readonly [number, string])[]
}

export type Prometheus = {
  readonly url: string
  /** Queries the present moment; each series has one value. */
  query(expr: string): Promise<readonly Series[]>
  /** Queries a span of time; all times are in seconds. */
  range(
    expr: string,
    span: { readonly start: number; readonly end: number; readonly step: number },
  ): Promise<readonly Series[]>
  /** Resolves once every target was scraped `times` more times. */
  scraped(times: number): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a Prometheus on 127.0.0.1 that scrapes each target once a second, with the rule files in `rules`. */
export async function startPrometheus(targets: readonly Target[], rules: readonly string[] = []): Promise<Prometheus> {
  const { prometheus } = await prometheusPrograms()
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-prometheus-'))
  const port = await freePort()
  const file = join(directory, 'prometheus.yml')
  await writeFile(file, JSON.stringify(configuration(targets, rules)))
  const program = await startProgram({
    command: prometheus,
    args: [
      `--config.file=${file}`,
      `--storage.tsdb.path=${directory}/store`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=info',
    ],
  })
  const close = async (): Promise<void> => {
    await program.stop()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await waitForLine(program, /Server is ready to receive web requests/)
  } catch (error) {
    await close()
    throw error
  }
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    query: (expr) => ask(`${url}/api/v1/query`, { query: expr }),
    range: (expr, { start, end, step }) =>
      ask(`${url}/api/v1/query_range`, { query: expr, start: `${start}`, end: `${end}`, step: `${step}` }),
    scraped: (times) => untilScraped(url, times, targets.length),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Returns the configuration as JSON, which is also YAML. */
function configuration(targets: readonly Target[], rules: readonly string[]): object {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: rules,
    scrape_configs: [
      {
        job_name: 'llm-gateway',
        static_configs: targets.map(({ url, labels }) => ({ targets: [new URL(url).host], labels })),
      },
    ],
  }
}

type Answer = {
  readonly status: string
  readonly error?: string
  readonly data: {
    readonly result: readonly {
      readonly metric: Series['metric']
      readonly value?: Series['values'][number]
      readonly values?: Series['values']
    }[]
  }
}

async function ask(url: string, parameters: Readonly<Record<string, string>>): Promise<readonly Series[]> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(parameters) })
  const { status, error, data }: Answer = JSON.parse(await answer.text())
  if (status !== 'success') throw new Error(`${parameters.query}: ${error}`)
  return data.result.map(({ metric, value, values }) => ({ metric, values: values ?? (value ? [value] : []) }))
}

async function untilScraped(url: string, times: number, targets: number): Promise<void> {
  const scrapeCounts = async (): Promise<Map<string, number>> => {
    const series = await ask(`${url}/api/v1/query`, { query: 'count_over_time(up[1h]) and up == 1' })
    return new Map(series.map(({ metric, values }) => [metric.instance ?? '', Number(values[0]?.[1] ?? 0)]))
  }
  const before = await scrapeCounts()
  const end = performance.now() + 60_000
  for (;;) {
    const now = await scrapeCounts()
    const done = [...now].filter(([instance, count]) => count >= (before.get(instance) ?? 0) + times)
    if (done.length >= targets) return
    if (performance.now() > end) throw new Error(`scraped within 60 s: ${JSON.stringify([...now])} of ${targets}`)
    // Prometheus has no event for this condition, so Prometheus is polled.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
