import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { ensurePrometheus, type PrometheusPrograms } from '../../tools/prometheus/ensure-prometheus.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** Gets Prometheus where it is missing. Why tests can't have it on this machine; false: they can, or they have to because this is CI. */
export async function whyNoPrometheus(environment: NodeJS.ProcessEnv): Promise<string | false> {
  const outcome = await ensurePrometheus(ROOT, environment)
  return outcome.kind === 'ready' || environment.CI === 'true' ? false : outcome.reason
}

/** What `whyNoPrometheus` has left; throws where that is nothing. */
export async function prometheusPrograms(): Promise<PrometheusPrograms> {
  const outcome = await ensurePrometheus(ROOT, {})
  if (outcome.kind === 'unavailable') throw new Error(outcome.reason)
  return outcome.programs
}

/** Runs promtool to its end; both its streams as one text. */
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
