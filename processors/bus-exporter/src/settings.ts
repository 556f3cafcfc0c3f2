import { type BusOptions, busOptions } from '@llm-gateway/sdk/bus-liveness'

export type ExporterSettings = {
  /** The bus's monitoring port. */
  readonly monitor: URL
  readonly host: string | undefined
  readonly port: number
  /** The bus's folder and address; absent: the exporter doesn't probe whether the bus stores messages. */
  readonly liveness?: {
    readonly store: string
    readonly bus: BusOptions
    readonly subject: string
    readonly isCluster: boolean
  }
}

const MONITOR = 'http://127.0.0.1:8222'
const PORT = '9465'
const MAX_PORT = 65_535

/**
 * Reads BUS_MONITOR, EXPORTER_HOST (default: every address) and EXPORTER_PORT; returns the name of an invalid variable.
 * With BUS_STORE, the folder of the bus's streams, the exporter probes the bus at GATEWAY_HOST with NATS_TOKEN and
 * BUS_PREFIX; BUS_CLUSTER is `true` for one of several servers.
 */
export function exporterSettings(environment: NodeJS.ProcessEnv): ExporterSettings | string {
  const monitor = URL.parse(environment.BUS_MONITOR || MONITOR)
  const port = environment.EXPORTER_PORT || PORT
  if (monitor === null || monitor.protocol !== 'http:') return 'BUS_MONITOR'
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT || Number(port) === 0) return 'EXPORTER_PORT'
  const settings = { monitor, host: environment.EXPORTER_HOST || undefined, port: Number(port) }
  const { BUS_STORE: store, BUS_PREFIX: prefix, BUS_CLUSTER: cluster } = environment
  if (!store) return settings
  const bus = busOptions(environment)
  if (bus === undefined) return 'GATEWAY_HOST'
  return {
    ...settings,
    liveness: { store, bus, subject: `${prefix || 'llm'}.gl.logger`, isCluster: cluster === 'true' },
  }
}
