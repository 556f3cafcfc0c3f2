import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../fake/free-port.ts'
import type { GatewayFile } from '../fake/gateway-file.ts'
import { startGatewayProcess } from '../fake/gateway-process.ts'
import { type Llm, startLlm } from '../fake/llm.ts'
import { jsonAnswer } from '../fake/llm-answer.ts'
import { type NatsServer, startNatsServer } from '../fake/nats-server.ts'
import { type Processor, startProcessor } from '../fake/processor.ts'
import { type ProcessorName, startProcessorProgram } from '../fake/processor-program.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import { type Prometheus, startPrometheus, type Target, target } from './prometheus.ts'
import { ROOT } from './promtool.ts'
import { startSinks } from './sinks.ts'

const COMPLETIONS = 'v1/chat/completions'
const MEMBERS = ['/pool/large/', '/pool/small/']
/** Paths whose calls succeed while nothing is broken. */
export const PATHS = ['/chat/', '/chat/', '/chat/', '/search/', '/pool/'].map((path) => `${path}${COMPLETIONS}`)

/** A gateway's process that stands for a pod. */
export type GatewayPod = {
  readonly url: string
  readonly port: number
  readonly adminUrl: string
  readonly edit: GatewayFile['edit']
}

/**
 * Two gateway pods, three shipped processors and one of a user, two sinks, a bus, and the Prometheus that scrapes them.
 */
export type ObservedScene = {
  readonly nats: NatsServer
  readonly llm: Llm
  /** The LLM API of `/search/` only. */
  readonly searchLlm: Llm
  readonly gateways: readonly [GatewayPod, GatewayPod]
  /** A user's processor that each call waits for. */
  readonly audit: Processor
  /** The target of the sink `rest`. */
  readonly sinkTarget: Llm
  readonly prometheus: Prometheus
  /** The scraped targets. */
  readonly targets: readonly Target[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts the scene. `others` are further targets for Prometheus. */
export async function startObservedScene(others: readonly Target[] = []): Promise<ObservedScene> {
  const stack = new AsyncDisposableStack()
  try {
    return await startParts(stack, others)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function startParts(stack: AsyncDisposableStack, others: readonly Target[]): Promise<ObservedScene> {
  const monitorPort = await freePort()
  const nats = stack.use(await startNatsServer({ jetstream: true, extra: `http: "127.0.0.1:${monitorPort}"` }))
  const llm = stack.use(await startLlm())
  const searchLlm = stack.use(await startLlm())
  const sinkTarget = stack.use(await startLlm({ respond: () => jsonAnswer({}) }))
  const audit = stack.use(await startProcessor(nats, 'llm.gl.custom.audit', () => ({ audit: true })))
  const processors = await startProcessors(nats, stack)
  const exporter = await startExporter(monitorPort, stack)
  const config = gatewayConfig(llm, searchLlm)
  const start = (): Promise<GatewayPod> => startGatewayPod(nats, config, stack)
  const gateways = [await start(), await start()] as const
  const sinks = await startSinks(nats, sinkTarget, stack)
  const targets = [
    ...gateways.map(({ adminUrl }, index) => target(adminUrl, `main-${index}`)),
    ...processors,
    ...sinks,
    target(exporter, 'main-bus-0'),
  ]
  const prometheus = stack.use(await startPrometheus([...targets, ...others]))
  const all = stack.move()
  const close = (): Promise<void> => all.disposeAsync()
  return { nats, llm, searchLlm, gateways, audit, sinkTarget, prometheus, targets, close, [Symbol.asyncDispose]: close }
}

/** Starts a pod of the gateway. All pods have the same file; ports and disks come from the environment. */
async function startGatewayPod(
  nats: NatsServer,
  config: Readonly<Record<string, unknown>>,
  stack: AsyncDisposableStack,
): Promise<GatewayPod> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const spool = await mkdtemp(join(tmpdir(), 'llm-gateway-spool-'))
  stack.defer(() => rm(spool, { recursive: true, force: true }))
  const { editConfig } = stack.use(
    await startGatewayProcess({
      nats,
      config: { ...config, gl_port: '${GL_PORT}', admin_port: '${ADMIN_PORT}', spool: { directory: '${SPOOL}' } },
      env: { GL_PORT: `${port}`, ADMIN_PORT: `${adminPort}`, SPOOL: spool },
    }),
  )
  return { url: `http://127.0.0.1:${port}`, port, adminUrl: `http://127.0.0.1:${adminPort}`, edit: editConfig }
}

async function startProcessors(nats: NatsServer, stack: AsyncDisposableStack): Promise<readonly Target[]> {
  const settings: Partial<Record<ProcessorName, Readonly<Record<string, unknown>>>> = {
    broker: { pools: [{ path: '/pool/', members: MEMBERS }] },
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
        // No program subscribes for this processor.
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
