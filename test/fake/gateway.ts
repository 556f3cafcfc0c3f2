import { createLogger } from '@llm-gateway/conf'
import { boot } from '@llm-gateway/gateway/boot'
import { type GatewayAddresses, type GatewayOptions, gatewayAddresses, gatewayConfig } from './gateway-addresses.ts'
import { writeGatewayFile } from './gateway-file.ts'
import { Journal } from './journal.ts'

export { type RunningGatewayProcess, startGatewayProcess } from './gateway-process.ts'

/** A JSON line of the gateway's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level?: unknown; readonly msg?: unknown }

export type RunningGateway = GatewayAddresses & {
  readonly logs: Journal<LogLine>
  /** Drains, stops and removes the temporary directory. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts the gateway in this process. The gateway listens when the promise resolves. */
export async function startGateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  const { config, adminPort } = await gatewayConfig(options, 0)
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
    ...gatewayAddresses(file, gateway.port, gateway.adminPort ?? adminPort),
    logs,
    close,
    [Symbol.asyncDispose]: close,
  }
}
