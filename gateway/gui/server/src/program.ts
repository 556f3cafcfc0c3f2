import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createLogger, parseCommandLine } from '@llm-gateway/conf'
import { type InterfaceOptions, readGuiConfig, startInterface } from './interface.ts'

const root = join(import.meta.dirname, '../../../..')

/** Runs the web interface as a program. Returns its exit code, or undefined while it runs until a signal comes. */
export async function runProgram(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number | undefined> {
  const logger = createLogger({ service: 'gui' })
  const commandLine = parseCommandLine(argv)
  const version = String(JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version)
  switch (commandLine.kind) {
    case 'usage':
      console.error(commandLine.message)
      return 2
    case 'version':
      console.log(version)
      return 0
    case 'validate':
      return (await readGuiConfig(commandLine.file, environment, logger)) === undefined ? 1 : 0
    case 'run':
      return await run({ file: commandLine.file, environment, logger, version })
    default:
      return commandLine satisfies never
  }
}

type Start = Pick<InterfaceOptions, 'file' | 'environment' | 'logger' | 'version'>

async function run(start: Start): Promise<number | undefined> {
  const started = await startInterface({
    ...start,
    places: { node: process.execPath, folders: [process.cwd(), root] },
    pageFolder: join(root, 'gateway/gui/web/dist'),
    hostName: hostname(),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
  })
  if (started === undefined) return 1
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void started.close().then(() => process.exit(0)))
  return undefined
}
