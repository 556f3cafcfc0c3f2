import { join } from 'node:path'
import { ensurePrometheus } from './ensure-prometheus.ts'

const outcome = await ensurePrometheus(join(import.meta.dirname, '../..'), process.env)
if (outcome.kind === 'ready') console.log(outcome.programs.promtool)
else console.error(`prometheus: ${outcome.reason}`)
process.exitCode = outcome.kind === 'ready' ? 0 : 1
