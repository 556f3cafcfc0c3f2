import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { startDemoLlm } from '../demo-llm/demo-llm.ts'
import { buildPage } from '../gui/build-page.ts'
import { isRe2Ready } from '../re2/ensure-re2.ts'
import { type BackgroundBuild, startInBackground } from '../re2/start-in-background.ts'
import { consoleLine, type LogEntry } from './console-line.ts'
import { ensureSecrets, type Secrets } from './environment-file.ts'
import { firstSteps, type WebInterface } from './first-steps.ts'
import type { Phases } from './phases.ts'
import { gatewayPort, guiPort, neededPorts, takenPortMessage, takenPorts, takenPortsMessage } from './ports.ts'
import { refreshConfiguration } from './refresh-configuration.ts'
import { routersOff } from './routers-off.ts'
import { findRunFolders } from './run-folders.ts'
import { type PidFile, runningProcess, writePidFile } from './running.ts'
import { SUPERVISOR_LOG, startServices } from './services.ts'
import { untilEnded } from './stop-running.ts'

export type RunContext = {
  readonly root: string
  /** The folder `.run`: configuration, logs, secrets and the bus's store. In `serve` the services' working directory. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}
export type Signals = { on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown }

/** The defaults, overridden by the set with every processor. */
const SHIPPED = ['conf', 'conf/examples/processors']

/**
 * Starts everything with installed packages, shows how to use it, and runs until a signal; returns the exit code. All
 * processes have ended by then.
 */
export async function run(context: RunContext, signals: Signals, phases: Phases): Promise<number> {
  const { root, folder, say } = context
  const shown = (path: string) => shownPath(root, path)
  await untilEnded(context)
  const running = runningProcess(join(folder, 'pid'))
  if (running !== undefined)
    return stopWith(
      context,
      `make run is already running in this folder (process ${running.pid}); \`make stop\` stops it`,
    )
  const found = findRunFolders(folder, shown)
  if (found.kind === 'none') return stopWith(context, found.why)
  for (const note of found.notes) say(note)
  const { base, working } = found
  const configuration = join(working, 'app/conf')
  const shipped = SHIPPED.map((name) => join(root, name))
  const places = { shipped, live: configuration, journal: join(base, 'shipped.json') }
  const refreshed = found.keepsConfiguration
    ? []
    : await phases.time('configuration', () => refreshConfiguration(places))
  for (const stale of refreshed) {
    say(
      `  ${shown(join(configuration, stale.name))} has your edits and was kept; the newer shipped file is ${shown(stale.shipped)}`,
    )
  }
  const taken = await takenPorts(neededPorts(configuration))
  if (taken.length > 0) return stopWith(context, takenPortsMessage(taken, shown))
  const [takenWeb] = await takenPorts([guiPort(configuration)])
  const webOff = takenWeb && takenPortMessage(takenWeb, shown)
  const secretsFile = join(base, 'env')
  const secrets = ensureSecrets(secretsFile, context.environment)
  say(`  secrets are in ${shown(secretsFile)}`)
  const pidFile = writePidFile(join(base, 'pid'), process.pid)
  try {
    return await serve({ ...context, folder: working }, { secrets, secretsFile, signals, phases, pidFile, webOff })
  } finally {
    pidFile.remove()
  }
}

function stopWith({ say }: RunContext, why: string): number {
  say(why)
  return 1
}

type Serving = {
  readonly secrets: Secrets
  readonly secretsFile: string
  readonly signals: Signals
  readonly phases: Phases
  readonly pidFile: PidFile
  /** The reason why the web interface can't start. */
  readonly webOff: string | undefined
}

async function serve(
  context: RunContext,
  { secrets, secretsFile, signals, phases, pidFile, webOff }: Serving,
): Promise<number> {
  const { root, folder, say } = context
  const demo = (context.environment.AISERVICE_API_BASE ?? '') === '' ? await startDemoLlm() : undefined
  const regexReport = createRegexReport(() => phases.totalSeconds)
  const regex = await isRe2Ready(root)
  let rejectedFields: unknown
  const entry = (found: LogEntry) => {
    for (const line of [consoleLine(found), regexReport(found)]) if (line !== undefined) say(line)
    if (found.service === 'gl' && found.rejected_fields !== undefined) rejectedFields = found.rejected_fields
    if (found.service !== 'ginit') return
    if (typeof found.guard === 'number') pidFile.setGuard(found.guard)
    if (found.msg !== 'service healthy') return
    // For the supervisor the service is healthy while it waits for re2.
    if (found.name === 'regex' && !regex) return
    if (typeof found.name === 'string' && typeof found.seconds === 'number') phases.done(found.name, found.seconds)
  }
  const environment = {
    ...context.environment,
    ...secrets,
    ...(demo === undefined ? {} : demoLlmEnvironment(context.environment, demo.url)),
  }
  const services = startServices({ root, folder, environment, entry })
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    signals.on(signal, () => {
      if (!stopping) say('\nstopping after the running calls have finished; press Ctrl-C again to end them now')
      stopping = true
      services.stop()
    })
  }
  let build: BackgroundBuild | undefined
  const late = await services.started
  if (late !== undefined) {
    const seconds = phases.totalSeconds.toFixed(1)
    const port = gatewayPort(join(folder, 'app/conf'))
    const file = readFileSync(join(folder, 'app/conf/gl_config.json'), 'utf8')
    const off = routersOff(Object(rejectedFields), file, environment)
    const isGiven = (context.environment.GUI_SECRET ?? '') !== ''
    const password = `GUI_SECRET ${isGiven ? 'of your environment' : `in ${shownPath(root, secretsFile)}`}`
    const { port: webPort } = guiPort(join(folder, 'app/conf'))
    const gui: WebInterface =
      webOff === undefined ? { kind: 'open', port: webPort, password } : { kind: 'off', why: webOff }
    const steps = { port, seconds, demo: demo !== undefined, regex, late, off, folder: shownPath(root, folder), gui }
    for (const line of firstSteps(steps)) say(line)
    // Not awaited: until the page is built, the web interface says so.
    void buildPage(context).catch((error) => say(`tools: the page of the web interface can't be built: ${error}`))
    // Started last: the build takes both cores for minutes and would delay the first call.
    build = await startInBackground(context)
  }
  const code = await services.exited
  build?.stop()
  await demo?.close()
  if (!stopping) say(`the services ended; their log is ${shownPath(root, join(folder, SUPERVISOR_LOG))}`)
  return stopping ? 0 : Math.max(code, 1)
}

/** The demo takes any key, and routers that send a key need one. */
function demoLlmEnvironment(environment: NodeJS.ProcessEnv, url: string): NodeJS.ProcessEnv {
  const key = environment.AISERVICE_API_KEY ?? ''
  return { AISERVICE_API_BASE: url, AISERVICE_API_KEY: key === '' ? 'demo' : key }
}

/** Shortens a path inside the checkout. */
function shownPath(root: string, path: string): string {
  const short = relative(root, path)
  return short.startsWith('..') ? path : short
}

/**
 * Makes a function that returns a line when the regex processor joins after waiting for its addon; undefined for every
 * other entry.
 */
export function createRegexReport(seconds: () => number): (entry: LogEntry) => string | undefined {
  let waits = false
  return ({ service, msg }) => {
    if (service !== 'regex') return undefined
    if (msg === 'processor waits for re2 to be built') waits = true
    if (msg !== 'processor initialized' || !waits) return undefined
    waits = false
    return `  ${'regex'.padEnd(14)} ${seconds().toFixed(1).padStart(6)} s (re2 is built, so /markdown/ and /json/ work now)`
  }
}
