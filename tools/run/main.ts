import { join, resolve } from 'node:path'
import { setupSteps } from '../setup/setup.ts'
import { runCommandLine } from './command-line.ts'
import { createPhases } from './phases.ts'
import { stopRunning } from './stop-running.ts'

const root = join(import.meta.dirname, '../..')
const context = {
  root,
  folder: resolve(root, process.env.RUN_DIR ?? '.run'),
  environment: process.env,
  say: (line: string) => console.log(line),
}
process.exitCode = await runCommandLine(process.argv.slice(2), {
  run: async () => {
    const phases = createPhases(context.say, () => performance.now())
    const steps = setupSteps(context)
    if (!(await phases.time('tools', steps.tools)) || !(await phases.time('packages', steps.packages))) return 1
    // Loaded only now, because its files import packages, and a new clone has none before the step above.
    const { run } = await import('./run.ts')
    return await run(context, process, phases)
  },
  stop: () => stopRunning(context),
  say: context.say,
  complain: (line) => console.error(line),
})
