import { readFile } from 'node:fs/promises'
import type { Environment, GlSettings, Logger } from '@llm-gateway/conf'
import { checkGlConfig, readDelivery } from '@llm-gateway/conf'
import { parseBusAddress } from '@llm-gateway/protocol'
import type { Bus } from './bus/bus.ts'
import { createNatsBus } from './bus/nats-bus.ts'
import { createRecordPublisher, type RecordPublisher } from './bus/record-publisher.ts'
import { type Clock, createClock, unixNanoseconds } from './clock.ts'
import { compile } from './config/compile.ts'
import { Secret } from './config/secret.ts'
import { typeOf } from './errors.ts'
import { createBodyBudget } from './http/body-budget.ts'
import { startServer } from './http/server.ts'
import { createIsalive } from './isalive.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createIdSource } from './transaction/session.ts'
import { transact } from './transaction/transact.ts'
import type { Gateway } from './transaction/transaction.ts'
import { createUpstream } from './upstream/create-upstream.ts'

export type BootOptions = {
  readonly file: string
  readonly environment: Environment
  readonly logger: Logger
  readonly secretsDir?: string
}

export type RunningGateway = {
  readonly port: number
  readonly adminPort: number | undefined
  /** Drains: answers close their connections, what runs ends, queued records leave. */
  close(): Promise<void>
}

export async function boot(options: BootOptions): Promise<RunningGateway> {
  const { logger, environment } = options
  const delivery = await readDelivery({ file: options.file })
  const check = checkGlConfig(delivery.bytes, { environment })
  if (check.kind !== 'checked') throw new Error(JSON.stringify(check))
  const settings = check.config.settings
  const live = { current: compile(check.config, check.digest), swap: () => undefined }
  const clock = createClock()
  const metrics = createMetrics()
  const bus = createBus(settings, logger)
  const ids = createIdSource(clock)
  const isalive = createIsalive()
  const budget = createBodyBudget(settings.limits.buffered_bytes)
  const records = createRecords(settings, bus, clock, metrics)
  const upstream = await createUpstream(settings, environment)
  const gateway: Gateway = {
    live,
    bus,
    records,
    upstream,
    metrics,
    clock,
    ids,
    budget,
    logger,
    lastTransaction: isalive,
  }
  const server = await startServer({
    port: settings.gl_port,
    headerBytes: settings.limits.header_bytes,
    headersTimeoutMs: settings.limits.request_headers_timeout_ms,
    keepAliveTimeoutMs: settings.limits.keep_alive_timeout_ms,
    certificate: undefined,
    budget,
    transact: (call) => transact(call, gateway),
    portAnswer: {
      session: () => ({
        canonical: live.current.sessionHeader.canonical,
        value: ids.next(live.current.gatewayId, undefined).transactionId,
      }),
      answered: () => undefined,
    },
  })
  logger.info({ port: server.port }, 'http(s) server initialized')
  return {
    port: server.port,
    adminPort: undefined,
    close: async () => {
      await server.close(1000)
      await records?.drain(1000)
      await bus.close()
      await upstream.close()
    },
  }
}

function createBus(settings: GlSettings, logger: Logger): Bus {
  const address = parseBusAddress(settings.service_bus.hostname) ?? { hostname: 'localhost', port: 4222 }
  const { token, tls } = settings.service_bus
  return createNatsBus({
    ...address,
    ...(token === '' ? {} : { token: new Secret(token) }),
    logger,
  })
}

function createRecords(settings: GlSettings, bus: Bus, clock: Clock, metrics: Metrics): RecordPublisher | undefined {
  const subject = settings.service_bus.topic_exact_logger
  if (subject === '') return undefined
  return createRecordPublisher({
    bus,
    subject,
    queueBytes: settings.limits.record_queue_bytes,
    messageIdPrefix: `${settings.gateway_id}-${unixNanoseconds(clock.now())}`,
    published: (count) => metrics.recordsPublished(count),
    lost: (count, reason) => metrics.recordsLost(count, reason),
  })
}
