import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger, endProcess, exitProcess, parseCommandLine } from '@llm-gateway/conf'
import { checkHealth } from './container/check-health.ts'
import { parseContainerCommand } from './container/container-command.ts'
import { type ContainerFolders, prepareContainer } from './container/prepare-container.ts'
import { fillSecrets } from './fill-secrets.ts'
import { toJsonLine } from './log-line.ts'
import { memoryEnvironment } from './memory-environment.ts'
import { startOrphanGuard } from './orphan-guard.ts'
import { createOutput } from './output.ts'
import { planServices } from './plan-services.ts'
import { readConfiguration } from './read-configuration.ts'
import { openStateFile, type StateFile } from './state-file.ts'
import { stopOnSignals } from './stop-on-signals.ts'
import { supervise } from './supervise.ts'
import { createBusWatcher } from './watch-bus.ts'

const root = join(import.meta.dirname, '../../..')
const WATCH_INTERVAL_MS = 1_000
/** The milliseconds that a reading has once all services have stopped. */
const LAST_READING_MS = 5_000
/** The milliseconds in which the watch of the bus may end by itself. */
const LAST_WATCH_MS = 1_000

const output = createOutput({
  stream: process.stdout,
  onDropped: (lines) => logger.warn({ lines }, 'output lines dropped; their reader was too slow'),
})
const logger = createLogger({ service: 'ginit', write: output.write })
const argv = process.argv.slice(2)
const commandLine = parseContainerCommand(argv) ?? parseCommandLine(argv)

switch (commandLine.kind) {
  case 'usage':
    console.error(commandLine.message)
    process.exitCode = 2
    break
  case 'version':
    console.log(JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version)
    break
  case 'validate':
    process.exitCode = (await readConfiguration(commandLine.file, process.env, logger)) === undefined ? 1 : 0
    break
  case 'run':
    await end(await runServices(commandLine.file))
    break
  case 'container':
    await end(await runContainer(commandLine))
    break
  case 'health': {
    const file = join(commandLine.root, 'app/conf/gl_config.json')
    const fault = await checkHealth({ file, environment: process.env, isReadiness: commandLine.isReadiness })
    if (fault !== undefined) console.error(fault)
    process.exitCode = fault === undefined ? 0 : 1
    break
  }
  default:
    commandLine satisfies never
}

async function end(exitCode: number): Promise<void> {
  process.exitCode = exitCode
  // The IPC channel to the parent process would keep this process alive, and so would output that nobody reads.
  if (process.connected) process.disconnect()
  // A reading of a watched file that hangs would keep this process alive, too.
  setTimeout(() => endProcess(exitCode), LAST_READING_MS).unref()
  if (!(await output.flush())) await exitProcess(exitCode)
}

async function runContainer(places: Pick<ContainerFolders, 'root' | 'sets'>): Promise<number> {
  const folder = await prepareContainer({ ...places, programs: root }, logger)
  if (folder === undefined) return 1
  process.chdir(folder)
  return await runServices('./app/conf/ginit_config.json')
}

async function runServices(file: string): Promise<number> {
  // A service without a path in `file` may be a program that the project downloaded to `.tools/bin`.
  const path = [process.env.PATH ?? '', join(root, '.tools/bin')].join(delimiter)
  const states = openStateFile(() => new Date())
  try {
    return await superviseServices(file, { path, states })
  } finally {
    states.close()
  }
}

async function superviseServices(
  file: string,
  { path, states }: { readonly path: string; readonly states: StateFile },
): Promise<number> {
  const base = {
    ...process.env,
    PATH: path,
    ...(states.path === undefined ? {} : { SERVICES_STATE: states.path }),
  }
  const environment = fillSecrets(memoryEnvironment(base, root))
  const config = await readConfiguration(file, environment, logger)
  if (config === undefined) return 1
  logger.level = config.log_level
  // The kernel ends all processes of a container together with the container's first process, so that no guard is
  // needed there.
  const guard = process.pid === 1 ? undefined : startOrphanGuard({ logger })
  const watching = new AbortController()
  const restart = (name: string) => supervisor.restart(name)
  const bus = createBusWatcher({ config, environment, logger, restart, signal: watching.signal })
  const supervisor = supervise({
    services: planServices(config, environment, { node: process.execPath, folders: [process.cwd(), root] }),
    maxStarts: config.max_starts,
    logger,
    onLine: (line) => {
      bus.line(line)
      output.write(`${toJsonLine(line, new Date())}\n`)
    },
    pace: output,
    onStopping: output.startStopping,
    now: () => performance.now(),
    onState: (name, state) => {
      states.setState(name, state)
      bus.state(name, state)
    },
    watchIntervalMs: WATCH_INTERVAL_MS,
    guard,
  })
  stopOnSignals(supervisor, process)
  const watched = bus.watch()
  const result = await supervisor.finished
  watching.abort()
  await within(watched, LAST_WATCH_MS)
  guard?.close()
  return result === 'stopped' ? 0 : 1
}

/** Waits for work, but not for work that a disk that hangs holds up. */
async function within(work: Promise<void>, timeoutMs: number): Promise<void> {
  const limit = new AbortController()
  const late = delay(timeoutMs, undefined, { signal: limit.signal }).catch(() => undefined)
  await Promise.race([work, late]).finally(() => limit.abort())
}
