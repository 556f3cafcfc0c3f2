import { join } from 'node:path'
import { type BusClient, connectBusClient } from '../fake/bus-client.ts'
import { freePort } from '../fake/free-port.ts'
import { type RunningGatewayProcess, startGatewayProcess } from '../fake/gateway-process.ts'
import { type Llm, startLlm } from '../fake/llm.ts'
import { type NatsServer, startNatsServer } from '../fake/nats-server.ts'
import { type Processor, startProcessor } from '../fake/processor.ts'
import { type ProcessorName, startProcessorProgram } from '../fake/processor-program.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import { type Prometheus, startPrometheus, type Target } from './prometheus.ts'
import { ROOT } from './promtool.ts'
import { type StreamReader, startStreamReader } from './stream-reader.ts'

const COMPLETIONS = 'v1/chat/completions'
const MEMBERS = ['/pool/large/', '/pool/small/']
/** Paths of calls that go well while nothing is broken. */
export const PATHS = ['/chat/', '/chat/', '/chat/', '/search/', '/pool/'].map((path) => `${path}${COMPLETIONS}`)

/** Two gateway pods, three processors of ours and one of a user's, a bus with a stream, and the Prometheus that scrapes them. */
export type ObservedScene = {
  readonly nats: NatsServer
  readonly llm: Llm
  /** The LLM API of `/search/` alone. */
  readonly searchLlm: Llm
  readonly gateways: readonly [RunningGatewayProcess, RunningGatewayProcess]
  /** A processor of a user's, which each call waits for. */
  readonly audit: Processor
  /** Durable readers of the stream of records. */
  readonly readers: Readonly<Record<'file' | 'elastic', StreamReader>>
  readonly prometheus: Prometheus
  /** Each of these was scraped. */
  readonly targets: readonly Target[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startObservedScene(): Promise<ObservedScene> {
  const stack = new AsyncDisposableStack()
  try {
    return await started(stack)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function started(stack: AsyncDisposableStack): Promise<ObservedScene> {
  const monitorPort = await freePort()
  const nats = stack.use(await startNatsServer({ jetstream: true, extra: `http: "127.0.0.1:${monitorPort}"` }))
  const llm = stack.use(await startLlm())
  const searchLlm = stack.use(await startLlm())
  const client = stack.use(await connectBusClient(nats))
  await makeStream(client)
  const readers = {
    file: stack.use(startStreamReader(client, 'file')),
    elastic: stack.use(startStreamReader(client, 'elastic')),
  }
  const audit = stack.use(await startProcessor(nats, 'llm.gl.custom.audit', () => ({ audit: true })))
  const processors = await startProcessors(nats, stack)
  const exporter = await startExporter(monitorPort, stack)
  const config = gatewayConfig(llm, searchLlm)
  const start = async (): Promise<RunningGatewayProcess> =>
    stack.use(await startGatewayProcess({ nats, admin: true, config }))
  const gateways = [await start(), await start()] as const
  const targets = [
    ...gateways.map(({ adminUrl = '' }, index) => target(adminUrl, `main-${index}`)),
    ...processors,
    target(exporter, 'main-bus-0'),
  ]
  const prometheus = stack.use(await startPrometheus(targets))
  const all = stack.move()
  const close = (): Promise<void> => all.disposeAsync()
  return { nats, llm, searchLlm, gateways, audit, readers, prometheus, targets, close, [Symbol.asyncDispose]: close }
}

function target(url: string, pod: string): Target {
  return { url, labels: { namespace: 'llm', gateway: 'main', pod } }
}

/** As gateways and sinks make it: records in a stream, a durable consumer for each sink. */
async function makeStream(client: BusClient): Promise<void> {
  const ask = async (subject: string, body: object): Promise<void> => {
    const answer = await client.request(`$JS.API.${subject}`, Buffer.from(JSON.stringify(body)))
    const { error } = JSON.parse(Buffer.from(answer).toString())
    if (error !== undefined) throw new Error(JSON.stringify(error))
  }
  await ask('STREAM.CREATE.records_llm', { name: 'records_llm', subjects: ['llm.gl.logger'], max_bytes: 500_000_000 })
  for (const durable_name of ['file', 'elastic']) {
    const config = { durable_name, ack_policy: 'none', deliver_policy: 'all' }
    await ask(`CONSUMER.DURABLE.CREATE.records_llm.${durable_name}`, { stream_name: 'records_llm', config })
  }
}

async function startProcessors(nats: NatsServer, stack: AsyncDisposableStack): Promise<readonly Target[]> {
  const settings: Partial<Record<ProcessorName, Readonly<Record<string, unknown>>>> = {
    broker: { broker: { pools: [{ path: '/pool/', members: MEMBERS }] } },
    contentfilter: {},
    tokenizer: {},
  }
  const targets: Target[] = []
  for (const name of ['broker', 'contentfilter', 'tokenizer'] as const) {
    const port = await freePort()
    const environment = { PROCESSOR_PORT: `${port}`, PROCESSOR_HOST: '127.0.0.1' }
    stack.use(
      await startProcessorProgram(name, nats, { environment, ...(settings[name] && { settings: settings[name] }) }),
    )
    targets.push(target(`http://127.0.0.1:${port}`, `${name}-0`))
  }
  return targets
}

async function startExporter(monitorPort: number, stack: AsyncDisposableStack): Promise<string> {
  const port = await freePort()
  const program = stack.use(
    await startProgram({
      command: process.execPath,
      args: [join(ROOT, 'processors/bus-exporter/src/main.ts')],
      environment: {
        BUS_MONITOR: `http://127.0.0.1:${monitorPort}`,
        EXPORTER_HOST: '127.0.0.1',
        EXPORTER_PORT: `${port}`,
      },
    }),
  )
  await waitForLine(program, /bus exporter initialized/)
  return `http://127.0.0.1:${port}`
}

function gatewayConfig(llm: Llm, searchLlm: Llm): Readonly<Record<string, unknown>> {
  const router = (path: string, url = llm.url) => ({ path, outbound: { url } })
  const row = (name: string, rest: object) => [{ name, service_bus_topic: `llm.gl.${name}`, timeout: 1_000, ...rest }]
  const custom = (name: string, rest: object) => row(name, { service_bus_topic: `llm.gl.custom.${name}`, ...rest })
  const pool = { routers: ['/pool/'], reroute_to: MEMBERS, required: true, modifier: true }
  return {
    routers: [
      ...['/chat/', '/pool/', '/required/', ...MEMBERS].map((path) => router(path)),
      router('/search/', searchLlm.url),
      // Nothing listens on port 1.
      router('/away/', 'http://127.0.0.1:1'),
    ],
    request: {
      processors: [
        row('contentfilter', { routers: ['/chat/'], input_fields_include: ['ingress_payload', 'gl_path'] }),
        row('broker', { ...pool, input_fields_include: ['gl_path'], output_fields_write: ['gl_path'] }),
        custom('audit', { routers: ['/chat/'], input_fields_include: ['gl_path'], output_fields_write: ['audit'] }),
        // Nobody is there.
        custom('absent', { routers: ['/required/'], required: true, timeout: 100 }),
      ],
    },
    response: {
      processors: [
        row('tokenizer', {
          async: true,
          input_fields_include: ['inbound_payload'],
          output_fields_write: ['tokenizer'],
        }),
      ],
    },
  }
}
