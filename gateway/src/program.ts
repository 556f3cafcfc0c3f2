import { once } from 'node:events'
import {
  createLogger,
  type Environment,
  endProcess,
  exitProcess,
  type Logger,
  parseCommandLine,
} from '@llm-gateway/conf'
import packageFile from '../package.json' with { type: 'json' }
import { type BootOptions, boot, type RunningGateway } from './boot.ts'
import { ConfigInvalidError } from './config/reload.ts'
import { failureFields } from './setting-file.ts'
import { stackTop } from './transaction/log-fault.ts'
import { validate } from './validate.ts'

/** Runs the gateway's command line and ends the process with its exit code. */
export async function runProgram(argv: readonly string[], environment: Environment): Promise<void> {
  // The process exits at once, because a socket of the NATS library whose attempt timed out would keep it alive.
  await exitProcess(await runCommand(argv, environment))
}

async function runCommand(argv: readonly string[], environment: Environment): Promise<number> {
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
/** The milliseconds that a start has to end after a stop. The reading of a file on a share may hang for ever. */
const LAST_START_MS = 10_000

/**
 * Runs until SIGTERM or SIGINT, which also end a start; a second signal ends the process at once. Where a file may hang,
 * the process ends by `endProcess`.
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
    setTimeout(() => endProcess(1), LAST_CALLS_MS).unref()
  })
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, () => {
      if (signal.aborted) endProcess(1)
      stop.abort()
    })
  const endStart = (): number => {
    logger.info({}, 'stopped')
    endProcess(exitCode)
    return exitCode
  }
  try {
    const gateway = await start({ file, logger, signal, ...context }, endStart)
    if (!signal.aborted) await once(signal, 'abort')
    if (!(await gateway.close())) endProcess(exitCode)
    return exitCode
  } catch (error) {
    if (signal.aborted && error === signal.reason) return endStart()
    // An invalid configuration has logged its reasons already.
    if (!(error instanceof ConfigInvalidError)) logger.error(failureFields(error), 'gateway could not start')
    endProcess(1)
    return 1
  }
}

/** Starts the gateway; calls `onLate` where a start hasn't ended in time after the signal. */
async function start(
  options: BootOptions & { readonly signal: AbortSignal },
  onLate: () => void,
): Promise<RunningGateway> {
  const { signal } = options
  let limit: NodeJS.Timeout | undefined
  const beginLimit = (): void => {
    limit = setTimeout(onLate, LAST_START_MS)
  }
  signal.addEventListener('abort', beginLimit, { once: true })
  try {
    return await boot(options)
  } finally {
    signal.removeEventListener('abort', beginLimit)
    clearTimeout(limit)
  }
}

function programContext(environment: Environment): ProgramContext {
  const { SECRETS_DIR: secretsDir } = environment
  const logger = createLogger({ service: 'gl' })
  return { environment, logger, ...(secretsDir ? { secretsDir } : {}) }
}
