import { join } from 'node:path'
import { createLogger, type Environment } from '@llm-gateway/conf'
import { boot } from '@llm-gateway/gateway/boot'
import type { BusPlace } from './bus-client.ts'
import { freePort } from './free-port.ts'
import { type GatewayConfig, type GatewayFile, merge, minimalGlConfig, writeGatewayFile } from './gateway-file.ts'
import { Journal } from './journal.ts'
import { type Program, startProgram, waitForLine } from './program.ts'

export const GATEWAY_MAIN = join(import.meta.dirname, '../../gateway/src/main.ts')

export type GatewayOptions = {
  /** Merged over `minimalGlConfig`: objects key by key, arrays replaced. */
  readonly config?: GatewayConfig
  /** The environment that references resolve from; nothing of this process's own. */
  readonly env?: Environment
  /** Absent: the gateway runs without a bus. */
  readonly nats?: BusPlace
  /** Serves `/metrics`, `/healthz`, `/readyz` and `/status` on a free port; then `adminUrl` is set. */
  readonly admin?: boolean
  readonly secretsDir?: string
}

/** One JSON line of the gateway's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level?: unknown; readonly msg?: unknown }

type Places = {
  readonly url: string
  readonly port: number
  readonly adminUrl: string | undefined
  readonly file: string
  readonly config: GatewayFile['config']
  readonly editConfig: GatewayFile['edit']
  /** Asks `/status` until it shows the digest that `editConfig` returned (needs `admin`). */
  waitForDigest(digest: string): Promise<void>
}

export type RunningGateway = Places & {
  readonly logs: Journal<LogLine>
  /** Drains, stops and removes the temporary directory. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type RunningGatewayProcess = Places & {
  readonly pid: number
  readonly program: Program
  /** Lines of stdout and stderr as they are. */
  readonly lines: Journal<string>
  kill: Program['kill']
  readonly exited: Program['exited']
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The gateway in this process, listening when the promise resolves. */
export async function startGateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  const { config, adminPort } = await configuration(options, 0)
  const file = await writeGatewayFile(config)
  const logs = new Journal<LogLine>()
  const logger = createLogger({ service: 'gl', level: 'DEBUG', write: (line) => logs.add(JSON.parse(line)) })
  const { env: environment = {}, secretsDir } = options
  const started = boot({
    file: file.file,
    environment,
    logger,
    ...(secretsDir === undefined ? {} : { secretsDir }),
  })
  const gateway = await started.catch(async (error) => {
    await file.remove()
    throw error
  })
  const close = async (): Promise<void> => {
    await gateway.close()
    await file.remove()
  }
  return {
    ...places(file, gateway.port, gateway.adminPort ?? adminPort),
    logs,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The gateway as a process of its own: `node gateway/src/main.ts -o FILE`, ready when the promise resolves. */
export async function startGatewayProcess(
  options: GatewayOptions & { readonly wrap?: readonly string[]; readonly nodeArguments?: readonly string[] } = {},
): Promise<RunningGatewayProcess> {
  const { config, port, adminPort } = await configuration(options, await freePort())
  const file = await writeGatewayFile(config)
  const node = [process.execPath, ...(options.nodeArguments ?? []), GATEWAY_MAIN, '-o', file.file]
  const [command = process.execPath, ...args] = [...(options.wrap ?? []), ...node]
  const secrets = options.secretsDir === undefined ? {} : { SECRETS_DIR: options.secretsDir }
  const program = await startProgram({
    command,
    args,
    environment: { ...options.env, ...secrets },
    cwd: file.directory,
  })
  const close = async (): Promise<void> => {
    await program.stop()
    await file.remove()
  }
  try {
    await waitForLine(program, /http\(s\) server initialized/)
  } catch (error) {
    await close()
    throw error
  }
  return {
    ...places(file, port, adminPort),
    pid: program.pid,
    program,
    lines: program.lines,
    kill: program.kill,
    exited: program.exited,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function configuration(
  options: GatewayOptions,
  port: number,
): Promise<{ config: GatewayConfig; port: number; adminPort: number | undefined }> {
  const adminPort = options.admin === true ? await freePort() : undefined
  const ports = { gl_port: port, admin_port: adminPort ?? 0 }
  const config = merge(merge(minimalGlConfig(options.nats), ports), options.config ?? {})
  return { config, port, adminPort }
}

function places(file: GatewayFile, port: number, adminPort: number | undefined): Places {
  const adminUrl = adminPort === undefined ? undefined : `http://127.0.0.1:${adminPort}`
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    adminUrl,
    file: file.file,
    get config() {
      return file.config
    },
    editConfig: file.edit,
    waitForDigest: async (digest) => {
      if (adminUrl === undefined) throw new Error('waitForDigest needs the option admin')
      await digestShown(`${adminUrl}/status`, digest)
    },
  }
}

async function digestShown(statusUrl: string, digest: string, timeoutMs = 20_000): Promise<void> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const status = await (await fetch(statusUrl)).text()
    if (status.includes(digest)) return
    if (performance.now() > end) throw new Error(`no ${digest} within ${timeoutMs} ms: ${status}`)
    // A poll of a condition the gateway has no event for.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
