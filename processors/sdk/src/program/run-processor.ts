import { createLogger, parseProcessorCommandLine } from '@llm-gateway/conf/processor'
import { type FailureSource, followBackground } from './background.ts'
import type { ProcessorDefinition } from './definition.ts'
import { loadSettings, rejectSettings } from './load-settings.ts'
import { planProcessor } from './plan-processor.ts'
import { ProcessorProgram } from './processor-program.ts'
import { type SignalSource, stopSignal } from './stop-signal.ts'

/** The parts of `process` that `runProcessor` uses. */
export type ProcessorProcess = SignalSource &
  FailureSource & {
    readonly argv: readonly string[]
    readonly env: Readonly<Record<string, string | undefined>>
    readonly versions: { readonly node: string }
    readonly stdout: { write(text: string): unknown }
    readonly stderr: { write(text: string): unknown }
  }

/** The oldest version of Node that has every function of JavaScript that this package calls; `engines` names it too. */
const LEAST_NODE = 24

/**
 * Runs a processor as a program: `[-o FILE] [--validate] | --version`. Resolves with the exit code: 0 after SIGTERM,
 * SIGINT and a successful `--validate`, else 1.
 */
export async function runProcessor<Settings extends object>(
  definition: ProcessorDefinition<Settings>,
  process: ProcessorProcess,
): Promise<number> {
  const command = parseProcessorCommandLine(process.argv.slice(2))
  switch (command.kind) {
    case 'version':
      process.stdout.write(`${definition.version}\n`)
      return 0
    case 'usage':
      process.stderr.write(`${command.message}\n`)
      return 1
    case 'run':
    case 'validate':
      return await start({ definition, process, file: command.file, validateOnly: command.kind === 'validate' })
    default:
      return command satisfies never
  }
}

type Start<Settings extends object> = {
  readonly definition: ProcessorDefinition<Settings>
  readonly process: ProcessorProcess
  readonly file: string | undefined
  readonly validateOnly: boolean
}

async function start<Settings extends object>({ definition, process, ...options }: Start<Settings>): Promise<number> {
  const { env: environment } = process
  const broken = new AbortController()
  const signal = AbortSignal.any([stopSignal(process), broken.signal])
  const logger = createLogger({ service: definition.name })
  const { node } = process.versions
  // An older Node fails later and within the functions it lacks; npm only warns of it.
  if (Number.parseInt(node, 10) < LEAST_NODE) {
    logger.error({ node, least: `${LEAST_NODE}` }, 'this Node is too old')
    return 1
  }
  let program: ProcessorProgram<Settings> | undefined
  followBackground(process, {
    logger,
    rejected: () => program?.countRejection(),
    broken: () => broken.abort(),
  })

  const place = { definition, file: options.file ?? (environment.PROCESSOR_CONFIG || undefined), environment, logger }
  const settings = await loadSettings(place)
  if (settings === undefined) return 1
  logger.level = settings.log_level
  const planned = planProcessor(definition.name, environment, settings)
  if (planned.kind === 'invalid') {
    rejectSettings(place, planned.validationErrors)
    return 1
  }
  program = new ProcessorProgram({ ...place, settings, plan: planned.plan, signal })
  const code = await (options.validateOnly ? program.validate() : program.run())
  return broken.signal.aborted ? 1 : code
}
