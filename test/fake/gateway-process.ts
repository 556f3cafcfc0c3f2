import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { type GatewayAddresses, type GatewayOptions, gatewayAddresses, gatewayConfig } from './gateway-addresses.ts'
import { writeGatewayFile } from './gateway-file.ts'
import type { Journal } from './journal.ts'
import { type Program, startProgram, waitForLine } from './program.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const MAIN = 'gateway/src/main.ts'
export const GATEWAY_MAIN = join(CHECKOUT, MAIN)

export type RunningGatewayProcess = GatewayAddresses & {
  readonly pid: number
  readonly program: Program
  /** The raw lines of stdout and stderr. */
  readonly lines: Journal<string>
  kill: Program['kill']
  readonly exited: Program['exited']
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts the gateway as a process: `node gateway/src/main.ts -o FILE`. The gateway is ready when the promise resolves.
 */
export async function startGatewayProcess(
  options: GatewayOptions & {
    readonly wrap?: readonly string[]
    readonly nodeArguments?: readonly string[]
    /** The folder of another checkout, whose gateway is started. */
    readonly checkout?: string | undefined
  } = {},
): Promise<RunningGatewayProcess> {
  const { config, port, adminPort } = await gatewayConfig(options, await freePort())
  const file = await writeGatewayFile(config)
  const node = [
    process.execPath,
    ...(options.nodeArguments ?? []),
    join(options.checkout ?? CHECKOUT, MAIN),
    '-o',
    file.file,
  ]
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
    ...gatewayAddresses(file, port, adminPort),
    pid: program.pid,
    program,
    lines: program.lines,
    kill: program.kill,
    exited: program.exited,
    close,
    [Symbol.asyncDispose]: close,
  }
}
