import { mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { startDemoLlm } from '../demo-llm/demo-llm.ts'
import { setupSteps } from '../setup/setup.ts'
import { consoleLine, type LogEntry } from './console-line.ts'
import { settleSecrets } from './environment-file.ts'
import { firstSteps } from './first-steps.ts'
import { createPhases, type Phases } from './phases.ts'
import { gatewayPort, neededPorts, takenPorts } from './ports.ts'
import { refreshConfiguration } from './refresh-configuration.ts'
import { noteRunning, runningProcess } from './running.ts'
import { SUPERVISOR_LOG, startServices } from './services.ts'

export type RunPlace = {
  readonly root: string
  /** `.run`: configuration, logs, secrets and the bus's store. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}
export type Signals = { on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown }

/** Starts everything, says how to use it, and stays until a signal; answers the exit code. Nothing runs on after it. */
export async function run(place: RunPlace, signals: Signals): Promise<number> {
  const { root, folder, say } = place
  const phases = createPhases(say, () => performance.now())
  const shown = (path: string) => shownPath(root, path)
  const steps = setupSteps(place)
  if (!(await phases.time('tools', steps.tools)) || !(await phases.time('packages', steps.packages))) return 1

  const running = runningProcess(join(folder, 'pid'))
  if (running !== undefined) return refuse(place, `already running here (process ${running}); \`make stop\` ends it`)
  const configuration = join(folder, 'app/conf')
  for (const name of ['conf', 'log', 'bus']) mkdirSync(join(folder, 'app', name), { recursive: true })
  const folders = { shipped: join(root, 'conf'), live: configuration, journal: join(folder, 'shipped.json') }
  for (const name of await phases.time('configuration', () => refreshConfiguration(folders))) {
    say(`  ${shown(join(configuration, name))} has your edits; a newer one is shipped as conf/${name}`)
  }
  const taken = await takenPorts(neededPorts(configuration))
  const lines = taken.map(
    ({ port, file, key }) => `port ${port} is in use by another program (${key} in ${shown(file)})`,
  )
  if (lines.length > 0)
    return refuse(place, [...lines, 'Stop what listens there, or set another port in that file.'].join('\n'))
  const secretsFile = join(folder, 'env')
  const secrets = settleSecrets(secretsFile, place.environment)
  say(`  secrets in ${shown(secretsFile)}`)
  const forget = noteRunning(join(folder, 'pid'), process.pid)
  try {
    return await serve({ ...place, environment: { ...place.environment, ...secrets } }, signals, phases)
  } finally {
    forget()
  }
}

function refuse({ say }: RunPlace, why: string): number {
  say(why)
  return 1
}

async function serve(place: RunPlace, signals: Signals, phases: Phases): Promise<number> {
  const { root, folder, say } = place
  const given = place.environment.AISERVICE_API_BASE ?? ''
  const demo = given === '' ? await startDemoLlm() : undefined
  const upstream = demo?.url ?? given
  const entry = (found: LogEntry) => {
    const line = consoleLine(found)
    if (line !== undefined) say(line)
    if (found.service !== 'ginit' || found.msg !== 'service healthy') return
    if (typeof found.name === 'string' && typeof found.seconds === 'number') phases.done(found.name, found.seconds)
  }
  const services = startServices({
    root,
    folder,
    environment: { ...place.environment, AISERVICE_API_BASE: upstream },
    entry,
  })
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    signals.on(signal, () => {
      if (!stopping) say('\nstopping: calls under way are finished; once more ends them too')
      stopping = true
      services.stop()
    })
  }
  if (await services.healthy) {
    const seconds = phases.totalSeconds.toFixed(1)
    const port = gatewayPort(join(folder, 'app/conf'))
    for (const line of firstSteps({ port, seconds, demo: demo !== undefined, folder: shownPath(root, folder) }))
      say(line)
  }
  const code = await services.exited
  await demo?.close()
  if (!stopping) say(`the services ended; what they said is in ${shownPath(root, join(folder, SUPERVISOR_LOG))}`)
  return stopping ? 0 : Math.max(code, 1)
}

/** As someone in the checkout would write it. */
function shownPath(root: string, path: string): string {
  const short = relative(root, path)
  return short.startsWith('..') ? path : short
}
