import { createLogger, type Environment, type Logger, parseCommandLine } from '@llm-gateway/conf'
import packageFile from '../package.json' with { type: 'json' }
import { boot } from './boot.ts'
import { ConfigInvalidError } from './config/reload.ts'
import { validate } from './validate.ts'

/** The gateway's command: what the command line asks for; returns the exit code. */
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
      return (await validate({ file: command.file, ...surroundings(environment) })) ? 0 : 1
    case 'run':
      return run(command.file, surroundings(environment))
    default:
      return command satisfies never
  }
}

type Surroundings = { readonly environment: Environment; readonly logger: Logger; readonly secretsDir?: string }

/** Runs until SIGTERM or SIGINT; a second one ends at once. */
async function run(file: string, { logger, ...around }: Surroundings): Promise<number> {
  try {
    const gateway = await boot({ file, logger, ...around })
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
    await gateway.close()
    return 0
  } catch (error) {
    // A configuration that fails has said why already.
    if (!(error instanceof ConfigInvalidError)) logger.error({ code: codeOf(error) }, 'gateway could not start')
    return 1
  }
}

function surroundings(environment: Environment): Surroundings {
  const { SECRETS_DIR: secretsDir } = environment
  const logger = createLogger({ service: 'gl' })
  return { environment, logger, ...(secretsDir ? { secretsDir } : {}) }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'INTERNAL'
}
