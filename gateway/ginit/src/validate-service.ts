import type { OutputLine } from './log-line.ts'
import type { ServicePlan } from './service-plan.ts'
import { startProcess } from './service-process.ts'

const LIMIT_MS = 60_000

/** Whether a service would start with its file as it is now; its validation's output says why not. True where there is nothing to ask. */
export async function validateService(
  plan: ServicePlan,
  line: (line: OutputLine) => void,
  signal: AbortSignal,
): Promise<boolean> {
  if (plan.validation === undefined) return true
  const asking = { ...plan, command: plan.validation, healthyOutput: '' }
  const process = startProcess(asking, (stream, text) => line({ service: plan.name, stream, text }))
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  limit.addEventListener('abort', process.kill)
  if (limit.aborted) process.kill()
  const exit = await process.exited
  limit.removeEventListener('abort', process.kill)
  return exit.code === 0
}
