import assert from 'node:assert/strict'
import { checkGinitConfig, createLogger } from '@llm-gateway/conf'
import { Journal } from '@llm-gateway/test/fake/journal'
import { NATS_SERVER_BINARY } from '@llm-gateway/test/fake/nats-server'
import { planServices } from './plan-services.ts'
import { supervise } from './supervise.ts'
import { createBusWatcher } from './watch-bus.ts'

export type SupervisedBusOptions = {
  /** nats-server.conf */
  readonly bus: string
  /** gl_config.json */
  readonly gl: string
  readonly maxStarts: number
  readonly pace: { readonly intervalMs: number; readonly failures: number; readonly timeoutMs: number }
}

export type BusLine = { readonly msg: string; readonly code?: string; readonly to?: number }

/** Starts a real bus under the supervisor and its watch, with the log of both; the bus's token is 123456. */
export async function superviseBus({ bus, gl, maxStarts, pace }: SupervisedBusOptions) {
  const services = [
    {
      name: 'nats-server',
      file: NATS_SERVER_BINARY,
      config_command: '-c',
      configuration_file: bus,
      healthy_output: 'Server is ready',
    },
    // Any program that keeps running will do, since only the gateway's file matters.
    { name: 'gl', file: 'tail', config_command: '-f', configuration_file: gl, healthy_output: '' },
  ].map((service) => ({ ...service, disable_config_file_monitoring: true }))
  const environment = { ...process.env, NATS_TOKEN: '123456' }
  const checked = checkGinitConfig(Buffer.from(JSON.stringify({ services, max_starts: maxStarts })), { environment })
  assert.ok(checked.kind === 'checked')
  const { config } = checked
  const log = new Journal<BusLine>()
  const logger = createLogger({ service: 'ginit', write: (line) => log.add(JSON.parse(line)) })
  const stop = new AbortController()
  const restart = (name: string) => supervisor.restart(name)
  const watched = createBusWatcher({ config, environment, logger, restart, signal: stop.signal, pace })
  const supervisor = supervise({
    onState: watched.state,
    services: planServices(config, environment, { node: process.execPath, folders: [] }),
    maxStarts: config.max_starts,
    logger,
    onLine: watched.line,
    now: () => performance.now(),
    watchIntervalMs: 1_000,
  })
  const watching = watched.watch()
  return {
    log,
    restart,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      supervisor.kill()
      await Promise.all([supervisor.finished, watching])
    },
  }
}
