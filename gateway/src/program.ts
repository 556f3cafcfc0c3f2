import { once } from 'node:events'
import { createLogger, type Environment, endProcess, type Logger, parseCommandLine } from '@llm-gateway/conf'
import packageFile from '../package.json' with { type: 'json' }
import { boot } from './boot.ts'
import { ConfigInvalidError } from './config/reload.ts'
import { failureFields } from './setting-file.ts'
import { stackTop } from './transaction/log-fault.ts'
import { validate } from './validate.ts'

/** Runs the gateway's command line; returns the exit code. */
export async function runProgram(argv: readonly string[], environment: Environment): Promise<number> {
  const command = parseCommandLine(argv)
  switch (command.kind) {
    case 'version':
      process.stdout.write(`${packageFile.version}\n`)
      return 0
    case 'usage':
      process.stderr.write(`${command.message}\n`)
      return 1
    case 'validate':
      return (await validate({ file: command.file, ...programContext(environment) })) ? 0 : 1
    case 'run':
      return run(command.file, programContext(environment))
    default:
      return command satisfies never
  }
}

type ProgramContext = { readonly environment: Environment; readonly logger: Logger; readonly secretsDir?: string }

/** The milliseconds that calls have to end after an uncaught fault. */
const LAST_CALLS_MS = 10_000

/**
 * Runs until SIGTERM or SIGINT, which also end a start that waits for values; a second signal ends the process at once.
 */
async function run(file: string, { logger, ...context }: ProgramContext): Promise<number> {
  const stop = new AbortController()
  const { signal } = stop
  let exitCode = 0
  // An uncaught fault leaves an unknown state: running calls may end, for a limited time, and the process is restarted.
  process.on('uncaughtException', (error) => {
    logger.error({ name: error.name, at: stackTop(error) }, 'uncaught error; the gateway ends')
    exitCode = 1
    stop.abort()
    setTimeout(() => process.exit(1), LAST_CALLS_MS).unref()
  })
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort())
  try {
    const gateway = await boot({ file, logger, signal, ...context })
    if (!signal.aborted) await once(signal, 'abort')
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => process.exit(1))
    if (!(await gateway.close())) endProcess(exitCode)
    return exitCode
  } catch (error) {
    if (signal.aborted && error === signal.reason) {
      logger.info({}, 'stopped')
      return exitCode
    }
    // An invalid configuration has logged its reasons already.
    if (!(error instanceof ConfigInvalidError)) logger.error(failureFields(error), 'gateway could not start')
    return 1
  }
}

function programContext(environment: Environment): ProgramContext {
  const { SECRETS_DIR: secretsDir } = environment
  const logger = createLogger({ service: 'gl' })
  return { environment, logger, ...(secretsDir ? { secretsDir } : {}) }
}
