import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { type Program, startProgram, waitForLine } from './program.ts'
import { untilStopped } from './until-stopped.ts'

export const NATS_SERVER_BINARY = join(import.meta.dirname, '../../.tools/bin/nats-server')

export type NatsServerOptions = {
  /** The default is a free port. */
  readonly port?: number
  /** The default is `test-token`; an explicit undefined means no authorization. */
  readonly token?: string | undefined
  /** Bytes; default 32 MiB like the shipped nats-server.conf. */
  readonly maxPayload?: number
  /** Enables JetStream with this store; `true` uses the server's temporary directory. */
  readonly jetstream?: true | string
  /** Additional settings of JetStream, such as 'max_file: 1GB'. */
  readonly jetstreamExtra?: string
  /** Additional lines of the server's configuration. */
  readonly extra?: string
  /** A prefix of the command line, such as `['taskset', '-c', '1']`. */
  readonly wrap?: readonly string[]
}

export type NatsServer = {
  readonly port: number
  readonly hostname: string
  /** `127.0.0.1:4222`, in the form of `service_bus.hostname` and GATEWAY_HOST. */
  readonly address: string
  readonly url: string
  readonly token: string | undefined
  readonly pid: number
  /** Sends a signal. If it ends the server, waits until the process is gone and the port is free. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Ends the server; `restart()` starts it again. */
  stop(): Promise<void>
  /** Ends a running server and starts a new process with the same port and settings. */
  restart(): Promise<void>
  /** Ends the server and removes its temporary directory. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a real nats-server on 127.0.0.1. The server is ready for clients when the promise resolves. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const token = 'token' in options ? options.token : 'test-token'
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-nats-'))
  const file = join(directory, 'nats-server.conf')
  const removeDirectory = (): Promise<void> => rm(directory, { recursive: true, force: true })
  // A port chosen by the system could be taken by another program between a stop and a restart.
  const port = options.port ?? (await freePort())
  let program: Program

  const start = async (): Promise<void> => {
    await writeFile(file, configuration({ ...options, token, port, directory }), { mode: 0o600 })
    const [command = NATS_SERVER_BINARY, ...args] = [...(options.wrap ?? []), NATS_SERVER_BINARY, '-c', file]
    program = await startProgram({ command, args })
    await waitForLine(program, /Server is ready/)
  }
  const stop = async (): Promise<void> => {
    await program.stop()
  }
  const close = async (): Promise<void> => {
    await stop()
    await removeDirectory()
  }

  try {
    await start()
  } catch (error) {
    await removeDirectory()
    throw error
  }
  return {
    port,
    hostname: '127.0.0.1',
    address: `127.0.0.1:${port}`,
    url: `nats://127.0.0.1:${port}`,
    token,
    get pid() {
      return program.pid
    },
    kill: async (signal = 'SIGKILL') => {
      program.kill(signal)
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await program.exited
      if (signal === 'SIGSTOP') await untilStopped(program.pid)
    },
    stop,
    restart: async () => {
      await stop()
      await start()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function configuration(options: NatsServerOptions & { readonly directory: string }): string {
  const maxPayload = options.maxPayload ?? 32 * 1024 * 1024
  const store = options.jetstream === true ? join(options.directory, 'jetstream') : options.jetstream
  const lines = [
    'host: "127.0.0.1"',
    `port: ${options.port}`,
    `max_payload: ${maxPayload}`,
    `max_pending: ${Math.max(maxPayload, 256 * 1024 * 1024)}`,
    // A long timeout, so that a client that pauses during its connect isn't refused.
    ...(options.token === undefined ? [] : [`authorization { token: ${JSON.stringify(options.token)}, timeout: 60 }`]),
    ...(store === undefined
      ? []
      : [`jetstream { store_dir: ${JSON.stringify(store)}, ${options.jetstreamExtra ?? ''} }`]),
    options.extra ?? '',
  ]
  return `${lines.join('\n')}\n`
}
