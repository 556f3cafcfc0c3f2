import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import type { NatsServer } from '@llm-gateway/test/fake/nats-server'
import { type Exit, type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'

export type RunningMock = {
  readonly program: Program
  /** Sends a message like the gateway and returns the answer. */
  send(message: object): Promise<unknown>
  stop(): Promise<Exit>
  [Symbol.asyncDispose](): Promise<void>
}

const MAIN = join(import.meta.dirname, 'main.ts')

/** Starts the program on a bus; resolves once it is subscribed. */
export async function startMock(
  server: NatsServer,
  settings: object = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningMock> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-mock-'))
  const PROCESSOR_CONFIG = join(folder, 'mock_config.json')
  await writeFile(PROCESSOR_CONFIG, JSON.stringify(settings))
  const bus = { GATEWAY_HOST: server.address, NATS_TOKEN: server.token, PROCESSOR_CONFIG }
  const program = await startProgram({
    command: process.execPath,
    args: [MAIN],
    environment: { ...bus, ...environment },
  })
  const stop = async (): Promise<Exit> => {
    const exit = await program.stop()
    await rm(folder, { recursive: true, force: true })
    return exit
  }
  await waitForLine(program, /"service":"mock".*processor initialized/)
  const client = await connectBusClient(server)
  return {
    program,
    send: async (message) => {
      const reply = await client.request('llm.gl.mock', Buffer.from(JSON.stringify(message)))
      return JSON.parse(Buffer.from(reply).toString())
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await stop()
    },
  }
}
