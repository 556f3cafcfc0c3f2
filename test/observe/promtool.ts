import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { ensurePrometheus, type PrometheusPrograms } from '../../tools/prometheus/ensure-prometheus.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** Downloads a missing Prometheus. Returns the reason to skip tests; false if they can or, in CI, must run. */
export async function whyNoPrometheus(environment: NodeJS.ProcessEnv): Promise<string | false> {
  const outcome = await ensurePrometheus(ROOT, environment)
  return outcome.kind === 'ready' || environment.CI === 'true' ? false : outcome.reason
}

/** Returns the programs that `whyNoPrometheus` has installed. Throws if there are none. */
export async function prometheusPrograms(): Promise<PrometheusPrograms> {
  const outcome = await ensurePrometheus(ROOT, {})
  if (outcome.kind === 'unavailable') throw new Error(outcome.reason)
  return outcome.programs
}

/** Runs promtool and returns the output of both streams. */
export async function promtool(args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  const { promtool: program } = await prometheusPrograms()
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...args], { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error)
      else resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` })
    })
    child.stdin?.end(input)
  })
}
