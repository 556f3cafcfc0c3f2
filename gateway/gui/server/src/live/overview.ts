import { checkGinitConfig, checkGlConfig, checkSinkConfig } from '@llm-gateway/conf'
import type { FileName, Overview, ProcessorState, ServiceState, SinkState } from '@llm-gateway/gui-api'
import type { Surroundings } from '../files/surroundings.ts'
import { askMetrics, askStatus, askText, gatewayPlace } from './gateway-client.ts'
import { type Sample, samplesOf } from './metrics-text.ts'
import type { ServiceStates } from './service-states.ts'

export type OverviewDoors = {
  readonly version: string
  readonly surroundings: () => Promise<Surroundings>
  /** The text of a live file. */
  readonly liveText: (name: FileName) => Promise<string | undefined>
  readonly services: () => Promise<ServiceStates>
  readonly bus: {
    readonly connected: boolean
    kept(): Promise<{ readonly first: number; readonly last: number } | undefined>
  }
}

const PROCESSOR_COUNT = 'llm_gateway_processor_seconds_count'
const PROCESSOR_SUM = 'llm_gateway_processor_seconds_sum'
const INFLIGHT = 'llm_gateway_inflight_requests'
const GATEWAY_NAMES: ReadonlySet<string> = new Set([PROCESSOR_COUNT, PROCESSOR_SUM, INFLIGHT])
const SINK_PREFIX = 'llm_gateway_sink_'
const SINK_NAMES = ['delivered_total', 'refused_total', 'overtaken_total', 'behind_records'] as const
const SINKS = ['nats2file_config.json', 'nats2log_config.json'] as const

/** What runs, as far as it is known, and what is wrong with it. */
export async function overview(doors: OverviewDoors): Promise<Overview> {
  const surroundings = await doors.surroundings()
  const glConfig = await doors.liveText('gl_config.json')
  const place = gatewayPlace(glConfig, surroundings)
  const [{ state }, metrics = '', stream] = await Promise.all([askStatus(place), askMetrics(place), doors.bus.kept()])
  const samples = [...samplesOf(metrics, GATEWAY_NAMES)]
  const inflight = samples.find(({ name }) => name === INFLIGHT)?.value ?? null
  const gateway = state.reachable ? { ...state, inflight_requests: inflight } : state
  const sinks = await Promise.all(SINKS.map((name) => sinkState(name, surroundings, doors)))
  const found = {
    edition: 'standalone' as const,
    version: doors.version,
    gateway_address: { scheme: place.scheme, port: place.port },
    gateway,
    bus: { connected: doors.bus.connected, stream: stream ?? null },
    services: await servicesOf(surroundings, doors),
    sinks: sinks.flatMap((sink) => sink ?? []),
    processors: processorsOf(glConfig, samples, surroundings),
  }
  return { ...found, problems: problemsOf(found) }
}

async function servicesOf({ references }: Surroundings, doors: OverviewDoors): Promise<ServiceState[]> {
  const text = await doors.liveText('ginit_config.json')
  const check = checkGinitConfig(Buffer.from(text ?? ''), references)
  if (check.kind === 'invalid') return []
  const states = await doors.services()
  return check.config.services.map(({ name, file }) => {
    const { state = 'unknown', since = null, starts = null } = states.get(name) ?? {}
    return { name, kind: serviceKind(name, file), state, since, starts }
  })
}

function serviceKind(name: string, file: string): ServiceState['kind'] {
  if (file.includes('nats-server')) return 'bus'
  if (name === 'gl') return 'gateway'
  if (name === 'gui') return 'web_interface'
  if (file.includes('nats2log')) return 'sink'
  return file.startsWith('processors/') || file.includes('regex') ? 'processor' : 'other'
}

async function sinkState(
  name: (typeof SINKS)[number],
  { references }: Surroundings,
  doors: OverviewDoors,
): Promise<SinkState | undefined> {
  const text = await doors.liveText(name)
  const check = checkSinkConfig(Buffer.from(text ?? ''), references)
  if (text === undefined || check.kind === 'invalid') return undefined
  const { mode = null, admin_host: host, admin_port: port, file_writer: file } = check.config
  const metrics = port === 0 ? undefined : await askText(`http://${host}:${port}/metrics`)
  const names = new Set(SINK_NAMES.map((one) => SINK_PREFIX + one))
  const samples = [...samplesOf(metrics ?? '', names)]
  const value = (one: (typeof SINK_NAMES)[number]) => {
    const found = samples.filter((sample) => sample.name === SINK_PREFIX + one)
    return found.length === 0 ? null : found.reduce((sum, sample) => sum + sample.value, 0)
  }
  return {
    name: name.replace('_config.json', ''),
    mode,
    target: mode === 'file_writer' ? (file?.filename ?? null) : null,
    behind_records: value('behind_records'),
    delivered: value('delivered_total'),
    refused: value('refused_total'),
    overtaken: value('overtaken_total'),
  }
}

function processorsOf(
  text: string | undefined,
  samples: readonly Sample[],
  { references }: Surroundings,
): ProcessorState[] {
  const check = checkGlConfig(Buffer.from(text ?? '{}'), references, { acceptMissing: true })
  if (check.kind !== 'checked') return []
  const { settings } = check.config
  return (['request', 'response'] as const).flatMap((phase) =>
    settings[phase].processors.flatMap((row, index) =>
      row.map(({ name, async: isAsync, required }) => ({
        name,
        phase,
        row: index,
        async: isAsync,
        required,
        ...seenOf(samples.filter(({ labels }) => labels.get('processor') === name)),
      })),
    ),
  )
}

/** Of both phases together: the gateway counts a processor by its name. */
function seenOf(samples: readonly Sample[]): Pick<ProcessorState, 'calls' | 'failures' | 'mean_ms'> {
  const counts = samples.filter(({ name }) => name === PROCESSOR_COUNT)
  const calls = counts.reduce((sum, { value }) => sum + value, 0)
  const seconds = samples.filter(({ name }) => name === PROCESSOR_SUM).reduce((sum, { value }) => sum + value, 0)
  const failed = counts.filter(({ labels, value }) => value > 0 && labels.get('outcome') === 'failed')
  return {
    calls: counts.length === 0 ? null : calls,
    failures: Object.fromEntries(failed.map(({ labels, value }) => [labels.get('outcome') ?? 'failed', value])),
    mean_ms: calls === 0 ? null : (seconds / calls) * 1000,
  }
}

type Found = Omit<Overview, 'problems'>

/** What is wrong with the gateway and what runs beside it. */
export function problemsOf({
  gateway,
  bus,
  sinks,
  services,
}: Pick<Found, 'gateway' | 'bus' | 'sinks' | 'services'>): Overview['problems'] {
  const error = (message: string, todo: string) => ({ severity: 'error', message, todo }) as const
  const warning = (message: string, todo: string) => ({ severity: 'warning', message, todo }) as const
  if (!gateway.reachable) return [error('The gateway does not answer.', gateway.message)]
  const lost = Object.entries(gateway.records?.lost ?? {}).filter(([, count]) => count > 0)
  return [
    ...(gateway.reload.result === 'failed'
      ? [error('The gateway could not take over its file; it runs with the one before.', gateway.reload.reason)]
      : []),
    ...(gateway.bus === 'disconnected' || !bus.connected
      ? [
          error(
            'The message bus does not answer.',
            'Processors are not called and records wait. Look at the log of nats-server.',
          ),
        ]
      : []),
    ...services
      .filter(({ state, kind }) => state === 'ended' && kind !== 'gateway')
      .map(({ name }) => error(`${name} does not run.`, 'It is started again; its log says why it ended.')),
    ...lost.map(([reason, count]) =>
      error(`${count} records were lost (${reason}).`, 'Look at the bus and the space on its disk.'),
    ),
    ...(gateway.routers.rejected > 0
      ? [
          warning(
            `${gateway.routers.rejected} routers are rejected.`,
            'Open them: each says which field is missing what.',
          ),
        ]
      : []),
    ...sinks
      .filter(({ refused }) => (refused ?? 0) > 0)
      .map(({ name, refused }) =>
        warning(`${name}: its target has refused ${refused} records.`, `make dead-letters SINK=${name} shows them.`),
      ),
  ]
}
