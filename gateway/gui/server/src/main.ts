import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createLogger, parseCommandLine } from '@llm-gateway/conf'
import { readGuiConfig, startInterface } from './interface.ts'

const root = join(import.meta.dirname, '../../../..')
const logger = createLogger({ service: 'gui' })
const commandLine = parseCommandLine(process.argv.slice(2))
const version: string = String(JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version)

switch (commandLine.kind) {
  case 'usage':
    console.error(commandLine.message)
    process.exitCode = 2
    break
  case 'version':
    console.log(version)
    break
  case 'validate':
    process.exitCode = (await readGuiConfig(commandLine.file, process.env, logger)) === undefined ? 1 : 0
    break
  case 'run':
    await run(commandLine.file)
    break
  default:
    commandLine satisfies never
}

async function run(file: string): Promise<void> {
  const started = await startInterface({
    file,
    environment: process.env,
    logger,
    version,
    places: { node: process.execPath, folders: [process.cwd(), root] },
    pageFolder: join(root, 'gateway/gui/web/dist'),
    hostName: hostname(),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
  })
  if (started === undefined) {
    process.exitCode = 1
    return
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void started.close().then(() => process.exit(0)))
}
