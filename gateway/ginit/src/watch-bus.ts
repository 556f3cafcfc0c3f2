import { type GinitConfig, isBus, type Logger } from '@llm-gateway/conf'
import {
  busOptions,
  checkDiskRoom,
  connectBus,
  LivenessProbe,
  monitoredSize,
  monitoredStore,
  probeBus,
  restartStalledBus,
  type StallEvent,
} from '@llm-gateway/sdk/bus-liveness'
import { gatewaySettings } from './gateway-settings.ts'
import { type GrowOutcome, growRecords } from './grow-records.ts'
import type { OutputLine } from './log-line.ts'
import { createMonitor } from './monitor-address.ts'
import type { ServiceState } from './state-file.ts'

export type BusWatcherOptions = {
  readonly config: GinitConfig
  readonly environment: NodeJS.ProcessEnv
  readonly logger: Logger
  readonly restart: (service: string) => Promise<void>
  readonly signal: AbortSignal
  /** Intervals for tests; the defaults apply where absent. */
  readonly pace?: { readonly intervalMs: number; readonly failures: number; readonly timeoutMs: number }
}

export type BusWatcher = {
  /** Takes every output line of every service; a line of the bus names its monitoring port. */
  line(line: OutputLine): void
  /** Takes each change of a service's state; only the first such line after a start counts. */
  state(service: string, state: ServiceState): void
  /** Resolves when the signal aborts, or at once where no bus is supervised. */
  watch(): Promise<void>
}

/** Probes whether the supervised bus stores records, and restarts a bus that doesn't where a restart would help. */
export function createBusWatcher(options: BusWatcherOptions): BusWatcher {
  const { services } = options.config
  // Of the two buses of a TLS setup, the first keeps the streams, and the services connect to it.
  const name = services.find(({ file }) => isBus(file))?.name
  const monitor = createMonitor()
  return {
    line: ({ service, text }) => {
      if (service === name) monitor.line(text)
    },
    state: (service, state) => {
      if (service === name && state === 'starting') monitor.start()
    },
    watch: async () => {
      if (name !== undefined) await watchBus({ ...options, name, monitor: () => monitor.address })
    },
  }
}

type NamedBusWatch = BusWatcherOptions & { readonly name: string; readonly monitor: () => URL | undefined }

async function watchBus(options: NamedBusWatch): Promise<void> {
  const { config, environment, logger, name, monitor, restart, signal } = options
  const file = config.services.find(({ name }) => name === 'gl')?.configuration_file
  const settings = file === undefined ? undefined : await gatewaySettings(file, environment)
  const place = settings && busOptions(environment, settings.service_bus)
  const subject = settings?.service_bus.topic_exact_logger ?? ''
  // Without a subject no records are made.
  if (place === undefined || subject === '') return
  // The programs that need the bus log that it is away.
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const bus = await connectBus({ ...place, name: 'ginit', logger: silent, signal })
  if (bus === undefined) return
  const liveness = new LivenessProbe({ subject, bus: () => bus, ...options.pace })
  // The store is read while the bus works: a server with blocked streams doesn't report it on the monitoring port.
  let store: string | undefined
  let grownAt: URL | undefined
  const grow = async (at: URL): Promise<void> => {
    const size = await monitoredSize(at)
    if (size !== undefined)
      logGrowth(await growRecords({ bus, stream: liveness.records, size }), liveness.records, logger)
  }
  await restartStalledBus({
    probe: async () => {
      const at = monitor()
      const outcome = await probeBus(liveness, at)
      if (outcome.kind === 'acknowledged' && at !== undefined) {
        store ??= await monitoredStore(at)
        // The bus logs its port at each start, after which its store may be larger.
        if (at !== grownAt) await grow(at)
        grownAt = at
      }
      return outcome
    },
    room: async () => (store === undefined ? { kind: 'room' } : checkDiskRoom(store)),
    restart: () => restart(name),
    notify: (event) => logStall(event, name, logger),
    signal,
    now: () => performance.now(),
    ...options.pace,
  })
  await bus.close()
}

function logGrowth(grown: GrowOutcome, stream: string, logger: Logger): void {
  const { kind, ...sizes } = grown
  if (kind === 'grown') logger.info({ stream, ...sizes }, 'stream of records was enlarged to fit the larger store')
  if (kind === 'refused') logger.warn({ stream, ...sizes }, 'stream of records could not be enlarged')
}

function logStall({ kind, ...why }: StallEvent, name: string, logger: Logger): void {
  switch (kind) {
    case 'stalled':
      logger.error({ name, ...why }, 'bus stores no records; they wait in the gateway and its spool')
      break
    case 'no room':
      logger.error({ name, ...why }, 'disk of the bus is full; the supervisor restarts the bus once 64 MiB are free')
      break
    case 'restarting':
      logger.warn({ name, ...why }, 'restarting the bus because it stores no records')
      break
    case 'stores again':
      logger.info({ name }, 'bus stores records again')
      break
    default:
      kind satisfies never
  }
}
