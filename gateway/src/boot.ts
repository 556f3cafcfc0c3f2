import type { CheckedGlConfig, Environment, GlSettings, Logger } from '@llm-gateway/conf'
import packageFile from '../package.json' with { type: 'json' }
import { busOptions } from './bus/bus-options.ts'
import { createLanedBus } from './bus/laned-bus.ts'
import { LossLog } from './bus/loss-log.ts'
import { MAX_PENDING_CALLS } from './bus/pending-calls.ts'
import { createRecordConnection } from './bus/record-connection.ts'
import { createRecordPublisher, type RecordPublisher, type RecordPublisherOptions } from './bus/record-publisher.ts'
import { type Clock, createClock, unixNanoseconds } from './clock.ts'
import { compileInSlices } from './config/compile.ts'
import { type Reload, startReload } from './config/reload.ts'
import type { ReloadState } from './config/reload-state.ts'
import type { RuntimeConfig } from './config/runtime-config.ts'
import { statusOf, typeOf } from './errors.ts'
import { startAdmin } from './http/admin.ts'
import { startIngressCertificate } from './http/ingress-certificate.ts'
import { mostConnections } from './http/most-connections.ts'
import { type GatewayServer, startServer } from './http/server.ts'
import { createIsalive } from './isalive.ts'
import { createJsonEngine } from './json/json-scan.ts'
import { MemoryAccount } from './memory/memory-account.ts'
import { type ConfiguredNames, createMetrics, type Metrics } from './metrics.ts'
import { CallPlaces } from './pipeline/call-places.ts'
import { type RunningParts, stopGateway } from './stop.ts'
import { admittingRouter } from './transaction/admitting-router.ts'
import { DECODINGS, SHORT_DECODINGS } from './transaction/answer-intake.ts'
import { createIdSource } from './transaction/session.ts'
import { transact } from './transaction/transact.ts'
import type { Gateway } from './transaction/transaction.ts'
import { createUpstream } from './upstream/create-upstream.ts'
import { CallTurns } from './work/call-turns.ts'
import { KeyedQueue } from './work/keyed-queue.ts'
import { TurnBudget } from './work/turn-budget.ts'
import { WorkQueue } from './work/work-queue.ts'

export type BootOptions = {
  readonly file: string
  readonly environment: Environment
  readonly logger: Logger
  readonly secretsDir?: string
  /** Ends a start that waits for values; `boot` then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export type RunningGateway = {
  /** The ingress port in use. */
  readonly port: number
  readonly adminPort: number | undefined
  /**
   * Drains: answers close their connections, running calls end, queued records leave. Resolves with false where a
   * thread of the process still waits for the disk.
   */
  close(): Promise<boolean>
}

const LOSS_LOG_INTERVAL_MS = 1_000

/**
 * Starts the gateway from its file. Rejects with ConfigInvalidError, and where a port is taken or a certificate is
 * unusable. While the first delivery lacks values, only the admin port is open
 * (docs/reference/configuration-rules.md#references).
 */
export async function boot(options: BootOptions): Promise<RunningGateway> {
  const { logger, environment } = options
  // A failed start closes the parts it has started: their connections would keep the process alive.
  await using startedParts = new AsyncDisposableStack()
  // Reloads, scrapes and calls share one queue, so that together they take one share of each turn.
  const work = new WorkQueue()
  const metrics = createMetrics(work)
  const reload = await startReload({
    file: options.file,
    environment,
    logger,
    compile: compileInSlices,
    work,
    ...(options.secretsDir === undefined ? {} : { secretsDir: options.secretsDir }),
    onReport: (state, config) => {
      metrics.reloaded(state.reload.result)
      if (config === undefined) return
      logger.level = config.settings.log_level
      metrics.configLive(state.digest, state.routers, namesOf(config))
    },
  })
  startedParts.defer(async () => void (await reload.close()))
  const { settings } = reload
  const lossLog = startLossLog(logger, startedParts)
  const gateway = await createGateway({ reload, metrics, work, lossLog, options, startedParts })
  const certificate = await startIngressCertificate(settings.tls.ingress, logger)
  startedParts.defer(() => certificate?.close())
  let running: RunningParts | undefined
  const admin = await startAdmin({
    host: settings.admin_host,
    port: settings.admin_port,
    callersPort: settings.gl_port,
    metrics: () => metrics.render(),
    work,
    ready: () => reload.ready && running?.draining === false,
    status: () => statusOfGateway(reload.state, gateway),
    entries: () => reload.state.entries,
    logger,
  })
  startedParts.defer(() => admin.close())
  metrics.gauges({
    queueBytes: () => gateway.records?.queuedBytes ?? 0,
    acknowledged: () => gateway.records?.acknowledged ?? 0,
    spooledBytes: () => gateway.records?.spooledBytes ?? 0,
    oldestSpooledSeconds: () => secondsSince(gateway.records?.oldestSpooledMs),
    queueLimitBytes: settings.limits.record_queue_bytes,
    heldBytes: () => gateway.account.heldBytes,
    heldLimitBytes: settings.limits.buffered_bytes,
    reloadFailed: () => reload.state.reload.result === 'failed',
    busConnected: () => connected(gateway),
    inflight: () => running?.server.inflight ?? 0,
  })
  await reload.whenReady(options.signal)
  const server = await listen(settings, gateway, certificate?.current)
  certificate?.onChange((next) => server.replaceCertificate(next))
  const started: RunningParts = { ...gateway, server, reload, certificate, lossLog, draining: false }
  running = started
  logger.info({ port: server.port, tls: settings.tls.ingress.enabled }, 'http(s) server initialized')
  // From here on `stopGateway` closes the parts.
  startedParts.move()
  return { port: server.port, adminPort: admin.port, close: () => stopGateway(started, admin) }
}

function startLossLog(logger: Logger, startedParts: AsyncDisposableStack): LossLog {
  const lossLog = new LossLog({ logger, nowMs: () => performance.now() })
  const timer = setInterval(() => lossLog.logFurther(), LOSS_LOG_INTERVAL_MS)
  timer.unref()
  startedParts.defer(() => clearInterval(timer))
  return lossLog
}

type Parts = {
  readonly reload: Reload<RuntimeConfig>
  readonly metrics: Metrics
  readonly work: WorkQueue
  readonly lossLog: LossLog
  readonly options: BootOptions
  readonly startedParts: AsyncDisposableStack
}

async function createGateway({ reload, metrics, work, lossLog, options, startedParts }: Parts): Promise<Gateway> {
  const { settings, live } = reload
  const { logger } = options
  const clock = createClock()
  const place = busOptions(settings.service_bus, logger, options.environment)
  const bus = createLanedBus({ ...place, work })
  startedParts.defer(() => bus.close())
  const records = createRecords(settings, place, {
    logger,
    clock,
    onPublished: (count) => metrics.recordsPublished(count),
    onLost: (count, reason) => {
      metrics.recordsLost(count, reason)
      lossLog.add(count, reason)
    },
    onEarlierLosses: (count, reason) => metrics.recordsLost(count, reason),
    onWait: () => metrics.recordWaited(),
    work,
  })
  startedParts.defer(() => records?.close())
  const isalive = createIsalive()
  if (settings.service_bus.topic_exact_isalive !== '') {
    bus.respond(settings.service_bus.topic_exact_isalive, () => isalive.answer())
  }
  return {
    live,
    bus,
    places: new CallPlaces(MAX_PENDING_CALLS),
    records,
    upstream: await createUpstream(settings, {
      environment: options.environment,
      logger,
      denied: () => live.current.outboundDeny,
    }),
    metrics,
    clock,
    ids: createIdSource(clock),
    account: new MemoryAccount(settings.limits.buffered_bytes),
    json: createJsonEngine(),
    readBudget: new TurnBudget(),
    callTurns: new CallTurns(),
    largeAnswers: new KeyedQueue(),
    shortDecodings: new KeyedQueue(SHORT_DECODINGS),
    decodings: new KeyedQueue(DECODINGS),
    work,
    logger,
    lastTransaction: isalive,
  }
}

/** Creates the publisher of records; undefined without a logger subject, since no program reads records then. */
function createRecords(
  settings: GlSettings,
  place: ReturnType<typeof busOptions>,
  {
    clock,
    ...parts
  }: Pick<RecordPublisherOptions, 'logger' | 'onPublished' | 'onLost' | 'onEarlierLosses' | 'onWait' | 'work'> & {
    clock: Clock
  },
): RecordPublisher | undefined {
  const subject = settings.service_bus.topic_exact_logger
  if (subject === '') return undefined
  return createRecordPublisher({
    connection: createRecordConnection(place),
    subject,
    usesStream: settings.record.stream === 'on',
    waitMs: settings.record.wait_ms,
    whenFull: settings.record.when_full,
    ...spoolOf(settings),
    queueBytes: settings.limits.record_queue_bytes,
    messageIdPrefix: `${settings.gateway_id}-${unixNanoseconds(clock.now())}`,
    ...parts,
  })
}

/** Returns the settings of the spool; without a stream records aren't spooled either. */
function spoolOf({ record, spool }: GlSettings): Pick<RecordPublisherOptions, 'spool' | 'journals'> {
  if (record.stream === 'off' || spool.directory === '') return {}
  return { journals: record.durability === 'journal', spool: { directory: spool.directory, maxBytes: spool.max_bytes } }
}

async function listen(
  settings: GlSettings,
  gateway: Gateway,
  certificate: Parameters<typeof startServer>[0]['certificate'],
): Promise<GatewayServer> {
  const { live, ids, metrics } = gateway
  return await startServer({
    port: settings.gl_port,
    mostConnections: await mostConnections(),
    headerBytes: settings.limits.header_bytes,
    headersTimeoutMs: settings.limits.request_headers_timeout_ms,
    keepAliveTimeoutMs: settings.limits.keep_alive_timeout_ms,
    certificate,
    transact: (call) => transact(call, gateway),
    routerOf: (head) => admittingRouter(live.current.routes, head),
    held: [gateway.callTurns],
    clientErrors: {
      session: (headers) => {
        const { gatewayId, sessionHeader } = live.current
        const inbound = headers?.get(sessionHeader.lower)?.values
        return { canonical: sessionHeader.canonical, value: ids.next(gatewayId, inbound).transactionId }
      },
      onAnswered: (code) => {
        const refused = { router: 'none', status: statusOf(code), errorType: typeOf(code) }
        metrics.requestEnded({ ...refused, seconds: 0, overheadSeconds: undefined })
      },
    },
  })
}

function secondsSince(unixMs: number | undefined): number {
  return unixMs === undefined ? 0 : Math.max(0, (Date.now() - unixMs) / 1000)
}

/** Returns true where both connections are up: that of processors and that of records. */
function connected({ bus, records }: Gateway): boolean {
  return bus.connected && records?.connected !== false
}

function namesOf({ routers, settings }: CheckedGlConfig): ConfiguredNames {
  const rows = [...settings.request.processors, ...settings.response.processors]
  return { routers: routers.map(({ path }) => path), processors: rows.flat().map(({ name }) => name) }
}

function statusOfGateway(state: ReloadState, gateway: Gateway) {
  return {
    version: packageFile.version,
    digest: state.digest,
    values_revision: state.valuesRevision,
    reload: state.reload,
    routers: state.routers,
    rejected_fields: state.rejectedFields,
    rejected_routers: state.rejectedRouters,
    bus: connected(gateway) ? ('connected' as const) : ('disconnected' as const),
    records: gateway.records?.status,
  }
}
