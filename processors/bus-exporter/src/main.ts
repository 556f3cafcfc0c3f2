#!/usr/bin/env node
import { createLogger } from '@llm-gateway/conf'
import { stopped, stopSignal } from '@llm-gateway/sdk'
import { openProcessorPort } from '@llm-gateway/sdk/port'
import packageFile from '../package.json' with { type: 'json' }
import { type BusHealth, busHealth } from './bus-health.ts'
import { busMetrics } from './bus-metrics.ts'
import { readBus } from './read-bus.ts'
import { exporterSettings } from './settings.ts'

process.exit(await main())

/** Serves the bus's /varz and /jsz as Prometheus text until the program is asked to end, also while the bus is away. */
async function main(): Promise<number> {
  if (process.argv[2] === '--version') {
    process.stdout.write(`${packageFile.version}\n`)
    return 0
  }
  const signal = stopSignal(process)
  const logger = createLogger({ service: 'bus-exporter' })
  const settings = exporterSettings(process.env)
  if (typeof settings === 'string') {
    logger.error({ variable: settings }, 'variable can not be used')
    return 1
  }
  const { monitor, host, port } = settings
  const health =
    settings.liveness === undefined ? undefined : busHealth({ ...settings.liveness, monitor, logger, signal })
  const opened = await openProcessorPort({
    host,
    port,
    logger,
    ready: () => true,
    metrics: sharedMetrics(monitor, health),
    ...(health === undefined ? {} : { routes: health.routes }),
  })
  if (opened === undefined) return 1
  logger.info({ port }, 'bus exporter initialized')
  await stopped(signal)
  await opened.close()
  await health?.ended
  return 0
}

/** Makes a function whose simultaneous callers share one request to the bus. */
function sharedMetrics(monitor: URL, health: BusHealth | undefined): () => Promise<string> {
  let asking: Promise<string> | undefined
  return () => {
    asking ??= readBus(monitor)
      .then((answers) => busMetrics({ ...answers, stores: health?.stores() }))
      .finally(() => {
        asking = undefined
      })
    return asking
  }
}
