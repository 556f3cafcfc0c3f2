export type ExporterSettings = {
  /** The bus's monitoring port. */
  readonly monitor: URL
  readonly host: string | undefined
  readonly port: number
}

const MONITOR = 'http://127.0.0.1:8222'
const PORT = '9465'
const MAX_PORT = 65_535

/** Reads BUS_MONITOR, EXPORTER_HOST (default: every address) and EXPORTER_PORT; a text names the one that can't be used. */
export function exporterSettings(environment: NodeJS.ProcessEnv): ExporterSettings | string {
  const monitor = URL.parse(environment.BUS_MONITOR || MONITOR)
  const port = environment.EXPORTER_PORT || PORT
  if (monitor === null || monitor.protocol !== 'http:') return 'BUS_MONITOR'
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT || Number(port) === 0) return 'EXPORTER_PORT'
  return { monitor, host: environment.EXPORTER_HOST || undefined, port: Number(port) }
}
