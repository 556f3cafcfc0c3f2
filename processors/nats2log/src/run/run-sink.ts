import type { SinkConfig } from '@llm-gateway/conf'
import {
  type BusOptions,
  busOptions,
  type ConsumerStart,
  connectBus,
  type Logger,
  type ProcessorEnvironment,
  stopped,
} from '@llm-gateway/sdk'
import { openProcessorPort } from '@llm-gateway/sdk/port'
import { chooseWriter } from '../targets/choose-writer.ts'
import type { Writer } from '../targets/writer.ts'
import { Sink, type SinkReport } from './sink.ts'

export type SinkProgram = {
  readonly config: SinkConfig
  /** `nats2log` or `nats2file`. */
  readonly service: string
  readonly environment: ProcessorEnvironment
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Aborted when the program is asked to end. */
  readonly signal: AbortSignal
}

/** A sink's bus and its writer; without a writer the sink idles. */
type Plan = { readonly place: BusOptions; readonly writer: Writer | undefined }

/** Runs a sink until it is asked to end and all received records are written; returns the exit code. */
export async function runSink(program: SinkProgram): Promise<number> {
  const plan = await planSink(program)
  if (plan === undefined) return 1
  return plan.writer === undefined ? await idle(program) : await serve(plan.place, plan.writer, program)
}

/** Plans a sink from a checked configuration and logs why there is no writer; undefined when the sink can't start. */
export async function planSink(
  program: Pick<SinkProgram, 'config' | 'environment' | 'logger' | 'now'>,
): Promise<Plan | undefined> {
  const { config, environment, logger, now } = program
  const invalid = (path: string, reason: string): undefined => {
    logger.error({ validation_errors: { [path]: reason } }, 'configuration file validation failed')
  }
  const place = busOptions(environment, config.service_bus)
  // The file's own address was checked with the file.
  if (place === undefined) return invalid('GATEWAY_HOST', 'address:')
  const ignored = (['retries', 'retry_delay_milliseconds'] as const).filter((name) => config[name] !== undefined)
  if (ignored.length > 0)
    logger.warn(
      { ignored },
      'settings of earlier versions are ignored: the sink tries until the target has the record or will never accept it',
    )
  const choice = await chooseWriter(config, { logger, now })
  switch (choice.kind) {
    case 'writer':
      return { place, writer: choice.writer }
    case 'not configured':
      logger.warn({ mode: config.mode }, 'sink not configured')
      return { place, writer: undefined }
    case 'ended':
      logger.warn(
        { mode: config.mode },
        'sink writes nothing: Azure has ended the API of this mode; use azure_logs_ingestion_writer',
      )
      return { place, writer: undefined }
    case 'invalid':
      return invalid(`sink_config.${choice.field}`, choice.reason)
    default:
      return choice satisfies never
  }
}

async function serve(place: BusOptions, writer: Writer, program: SinkProgram): Promise<number> {
  const { config, service, logger, now } = program
  let sink: Sink | undefined
  const port = await openPort(program, () => sink?.report ?? NOT_YET)
  const bus = await connectBus({ ...place, name: service, logger, signal: program.signal })
  if (bus === undefined) {
    await port?.close()
    return 0
  }
  const subject = config.service_bus.topic_exact_logger
  const closed = new AbortController()
  // `closed` never rejects.
  void bus.closed.then(() => closed.abort())
  const signal = AbortSignal.any([program.signal, closed.signal])
  const start = consumerStart(config.start, now())
  sink = new Sink({ bus, subject, service, writer, logger, limits: config.batch, start, now, signal })
  await sink.run(() => logger.info({ mode: config.mode, subject }, INITIALIZED))
  await bus.close()
  await port?.close()
  return program.signal.aborted ? 0 : 1
}

const NOT_YET: SinkReport = {
  ready: false,
  delivered: 0,
  refused: 0,
  overtaken: 0,
  behindRecords: 0,
  oldestMs: undefined,
}

async function openPort({ config, service, logger, now }: SinkProgram, report: () => SinkReport) {
  const { admin_host: host, admin_port: port } = config
  if (port === 0) return undefined
  const ready = () => report().ready
  const metrics = async () => sinkMetrics(service, report(), now())
  return await openProcessorPort({ host, port, ready, metrics, logger })
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses `beginning`, `now` or an age such as `2h`, whose form the schema has checked. */
function consumerStart(start: string, nowMs: number): ConsumerStart {
  if (start === 'beginning' || start === 'now') return { kind: start }
  return { kind: 'time', timeMs: nowMs - Number.parseInt(start, 10) * (UNIT_MS[start.slice(-1)] ?? 0) }
}

/** Runs without work and reports healthy: the supervisor starts every sink, with a target or without. */
async function idle(program: SinkProgram): Promise<number> {
  const { logger, signal } = program
  const port = await openPort(program, () => ({ ...NOT_YET, ready: true }))
  // A signal handler alone doesn't keep a process alive.
  const alive = setInterval(() => undefined, 2 ** 30)
  logger.info({}, INITIALIZED)
  await stopped(signal)
  clearInterval(alive)
  await port?.close()
  return 0
}

/** The log line that the supervisor waits for: `healthy_output` (docs/reference/ginit-config.md). */
const INITIALIZED = 'sink initialized'

/** The metrics of a sink in the Prometheus text format (docs/reference/metrics.md#sinks). */
function sinkMetrics(sink: string, report: SinkReport, nowMs: number): string {
  const { delivered, refused, overtaken, behindRecords, oldestMs } = report
  const seconds = oldestMs === undefined ? 0 : Math.max(0, (nowMs - oldestMs) / 1_000)
  const rows: readonly (readonly [string, 'counter' | 'gauge', string, number])[] = [
    ['delivered_total', 'counter', 'Records that the target has.', delivered],
    ['refused_total', 'counter', 'Records that the target will never take, kept as dead letters.', refused],
    ['overtaken_total', 'counter', 'Records that the stream dropped before this sink had them.', overtaken],
    ['behind_records', 'gauge', 'Kept records that are not delivered yet.', behindRecords],
    ['behind_seconds', 'gauge', 'Age of the oldest record that is not delivered yet.', seconds],
  ]
  const lines = rows.flatMap(([name, type, help, value]) => {
    const metric = `llm_gateway_sink_${name}`
    return [`# HELP ${metric} ${help}`, `# TYPE ${metric} ${type}`, `${metric}{sink="${sink}"} ${value}`]
  })
  return `${lines.join('\n')}\n`
}
