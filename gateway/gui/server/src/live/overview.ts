import type { Overview, ProcessorState, ServiceState, SinkState } from '@llm-gateway/gui-api'
import type { FileParts, SinkPart } from '../file-work/file-parts.ts'
import { fetchSamples, fetchStatus } from './gateway-client.ts'
import type { Sample } from './metrics-text.ts'
import type { ServiceStates } from './service-states.ts'

export type OverviewDependencies = {
  readonly version: string
  /** Returns the parts that the live files describe. */
  readonly parts: () => Promise<FileParts>
  readonly services: () => Promise<ServiceStates>
  readonly bus: {
    readonly connected: boolean
    kept(): Promise<{ readonly first: number; readonly last: number } | undefined>
    behind(sink: string): Promise<number | undefined>
  }
}

const PROCESSOR_COUNT = 'llm_gateway_processor_seconds_count'
const PROCESSOR_SUM = 'llm_gateway_processor_seconds_sum'
const INFLIGHT = 'llm_gateway_inflight_requests'
const GATEWAY_NAMES: ReadonlySet<string> = new Set([PROCESSOR_COUNT, PROCESSOR_SUM, INFLIGHT])
/** Bound of the samples of a sink, which has a few. */
const MOST_SAMPLES = 10_000
const SINK_PREFIX = 'llm_gateway_sink_'
const SINK_NAMES = ['delivered_total', 'refused_total', 'overtaken_total', 'behind_records'] as const

/** Collects the known states of all parts and the problems among them. */
export async function overview(dependencies: OverviewDependencies): Promise<Overview> {
  const { place, rows, services, sinks } = await dependencies.parts()
  const url = place.admin === undefined ? undefined : `${place.admin}/metrics`
  const tallies = new Map(rows.map(({ name }) => [name, emptyTally()]))
  const [{ state }, inflight, stream] = await Promise.all([
    fetchStatus(place),
    tallyAt(url, tallies),
    dependencies.bus.kept(),
  ])
  const gateway = state.reachable ? { ...state, inflight_requests: inflight } : state
  const found = {
    edition: 'standalone' as const,
    version: dependencies.version,
    gateway_address: { scheme: place.scheme, port: place.port },
    gateway,
    bus: { connected: dependencies.bus.connected, stream: stream ?? null },
    services: await servicesOf(services, dependencies),
    sinks: await Promise.all(sinks.map((sink) => sinkState(sink, stream && dependencies.bus))),
    processors: rows.map((row) => ({ ...row, ...processorCounts(tallies.get(row.name) ?? emptyTally()) })),
  }
  return { ...found, problems: problemsOf(found) }
}

async function servicesOf(
  services: FileParts['services'],
  dependencies: OverviewDependencies,
): Promise<ServiceState[]> {
  const states = await dependencies.services()
  return services.map((service) => {
    const { state = 'unknown', since = null, starts = null } = states.get(service.name) ?? {}
    return { ...service, state, since, starts }
  })
}

async function sinkState({ metrics: url, ...sink }: SinkPart, bus?: OverviewDependencies['bus']): Promise<SinkState> {
  const names = new Set(SINK_NAMES.map((name) => SINK_PREFIX + name))
  const [samples, behind] = await Promise.all([samplesAt(url, names), bus?.behind(sink.name)])
  const value = (name: (typeof SINK_NAMES)[number]) => {
    const found = samples.filter((sample) => sample.name === SINK_PREFIX + name)
    return found.length === 0 ? null : found.reduce((sum, sample) => sum + sample.value, 0)
  }
  return {
    ...sink,
    // The bus also knows the backlog of a sink that is away.
    behind_records: behind ?? value('behind_records'),
    delivered: value('delivered_total'),
    refused: value('refused_total'),
    overtaken: value('overtaken_total'),
  }
}

/** Reads samples of an address; none if the answer is missing or incomplete. */
async function samplesAt(url: string | undefined, names: ReadonlySet<string>): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const take = (sample: Sample): void => {
    if (samples.length < MOST_SAMPLES) samples.push(sample)
  }
  return url !== undefined && (await fetchSamples({ url, names, take })) ? samples : []
}

/** Sums of a processor's metrics over both phases: the gateway counts by the processor's name only. */
type Tally = { calls: number | null; seconds: number; failed: number }

function emptyTally(): Tally {
  return { calls: null, seconds: 0, failed: 0 }
}

/**
 * Adds the metrics of an address to the tallies of the processors, as they arrive. Returns the running requests; null,
 * with empty tallies, if the answer is missing or incomplete.
 */
async function tallyAt(url: string | undefined, tallies: Map<string, Tally>): Promise<number | null> {
  let inflight: number | null = null
  const take = ({ name, labels, value }: Sample): void => {
    if (name === INFLIGHT) inflight ??= value
    const tally = tallies.get(labels.get('processor') ?? '')
    if (tally === undefined) return
    if (name === PROCESSOR_SUM) tally.seconds += value
    if (name !== PROCESSOR_COUNT) return
    tally.calls = (tally.calls ?? 0) + value
    if (labels.get('outcome') === 'failed') tally.failed += value
  }
  if (url !== undefined && (await fetchSamples({ url, names: GATEWAY_NAMES, take }))) return inflight
  for (const name of tallies.keys()) tallies.set(name, emptyTally())
  return null
}

function processorCounts({ calls, seconds, failed }: Tally): Pick<ProcessorState, 'calls' | 'failures' | 'mean_ms'> {
  return {
    calls,
    failures: failed > 0 ? { failed } : {},
    mean_ms: calls === null || calls === 0 ? null : (seconds / calls) * 1000,
  }
}

type OverviewParts = Omit<Overview, 'problems'>

/** Lists the problems of the gateway and its parts. */
export function problemsOf({
  gateway,
  bus,
  sinks,
  services,
}: Pick<OverviewParts, 'gateway' | 'bus' | 'sinks' | 'services'>): Overview['problems'] {
  const error = (message: string, todo: string) => ({ severity: 'error', message, todo }) as const
  const warning = (message: string, todo: string) => ({ severity: 'warning', message, todo }) as const
  if (!gateway.reachable) return [error('The gateway does not answer.', gateway.message)]
  const lost = Object.entries(gateway.records?.lost ?? {}).filter(([, count]) => count > 0)
  return [
    ...(gateway.reload.result === 'failed'
      ? [error('The gateway could not load its file and uses the previous one.', gateway.reload.reason)]
      : []),
    ...(gateway.bus === 'disconnected' || !bus.connected
      ? [
          error(
            'The message bus does not answer.',
            'Processors are not called and records wait. See the log of nats-server.',
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
            gateway.routers.rejected === 1
              ? '1 router is rejected.'
              : `${gateway.routers.rejected} routers are rejected.`,
            'The page Routers shows the rejected routers and the reasons.',
          ),
        ]
      : []),
    ...sinks
      .filter(({ refused }) => (refused ?? 0) > 0)
      .map(({ name, refused }) =>
        warning(
          `${name}: the target of this sink has refused ${refused} records.`,
          `make dead-letters SINK=${name} shows them.`,
        ),
      ),
  ]
}
