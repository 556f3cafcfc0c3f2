import { join } from 'node:path'
import { ensureDebianPrograms } from '../cluster/debian-programs.ts'

export type PrometheusPrograms = { readonly prometheus: string; readonly promtool: string }
export type PrometheusOutcome =
  | { readonly kind: 'ready'; readonly programs: PrometheusPrograms }
  | { readonly kind: 'unavailable'; readonly reason: string }

const PROMETHEUS = 'usr/bin/prometheus'
const PROMTOOL = 'usr/bin/promtool'

/** Unpacks Debian's Prometheus and promtool into `.tools/prometheus`; needs no network afterwards. */
export async function ensurePrometheus(root: string, environment: NodeJS.ProcessEnv): Promise<PrometheusOutcome> {
  const folder = join(root, '.tools/prometheus')
  const programs = [PROMETHEUS, PROMTOOL]
  const reason = await ensureDebianPrograms({ folder, packages: ['prometheus'], programs, environment })
  if (reason !== undefined) return { kind: 'unavailable', reason }
  return { kind: 'ready', programs: { prometheus: join(folder, PROMETHEUS), promtool: join(folder, PROMTOOL) } }
}
