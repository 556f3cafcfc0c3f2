import { type BusOptions, busOptions } from '@llm-gateway/sdk/bus-life'

export type ExporterSettings = {
  /** The bus's monitoring port. */
  readonly monitor: URL
  readonly host: string | undefined
  readonly port: number
  /** The bus's folder and where clients find the bus; unset: nobody asks whether it stores. */
  readonly life?: { readonly store: string; readonly bus: BusOptions; readonly subject: string }
}

const MONITOR = 'http://127.0.0.1:8222'
const PORT = '9465'
const MAX_PORT = 65_535

/**
 * Reads BUS_MONITOR, EXPORTER_HOST (default: every address) and EXPORTER_PORT; a text names the one that can't be used. With
 * BUS_STORE, the folder of its streams, the bus at GATEWAY_HOST is watched with NATS_TOKEN and BUS_PREFIX.
 */
export function exporterSettings(environment: NodeJS.ProcessEnv): ExporterSettings | string {
  const monitor = URL.parse(environment.BUS_MONITOR || MONITOR)
  const port = environment.EXPORTER_PORT || PORT
  if (monitor === null || monitor.protocol !== 'http:') return 'BUS_MONITOR'
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT || Number(port) === 0) return 'EXPORTER_PORT'
  const settings = { monitor, host: environment.EXPORTER_HOST || undefined, port: Number(port) }
  const { BUS_STORE: store, BUS_PREFIX: prefix } = environment
  if (!store) return settings
  const bus = busOptions(environment)
  if (bus === undefined) return 'GATEWAY_HOST'
  return { ...settings, life: { store, bus, subject: `${prefix || 'llm'}.gl.logger` } }
}
