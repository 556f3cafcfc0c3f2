import { checkGinitConfig, checkGlConfig, checkSinkConfig, hasTarget } from '@llm-gateway/conf'
import type { FileName, ServiceState, SinkState } from '@llm-gateway/gui-api'
import type { FileEnvironment } from '../files/file-environment.ts'
import { type GatewayAddress, gatewayAddress } from '../live/gateway-client.ts'

/** The parts of the system as the live files describe them. */
export type FileParts = {
  readonly place: GatewayAddress
  readonly rows: readonly ProcessorPart[]
  readonly services: readonly Pick<ServiceState, 'name' | 'kind'>[]
  readonly sinks: readonly SinkPart[]
}

/** A processor at one of its call points. */
export type ProcessorPart = {
  readonly name: string
  readonly phase: 'request' | 'response'
  readonly row: number
  readonly async: boolean
  readonly required: boolean
}
export type SinkPart = Pick<SinkState, 'name' | 'mode' | 'target'> & {
  /** The URL of the sink's metrics; undefined if the sink has no port. */
  readonly metrics: string | undefined
}

/** The files that describe the parts. */
export const PART_FILES = [
  'gl_config.json',
  'ginit_config.json',
  'nats2file_config.json',
  'nats2log_config.json',
] as const satisfies readonly FileName[]
const SINKS = ['nats2file_config.json', 'nats2log_config.json'] as const

type Texts = (name: FileName) => Promise<string | undefined>

export async function fileParts(textOf: Texts, fileEnvironment: FileEnvironment): Promise<FileParts> {
  const glConfig = await textOf('gl_config.json')
  const sinks = await Promise.all(SINKS.map(async (name) => sinkPart(name, await textOf(name), fileEnvironment)))
  return {
    place: gatewayAddress(glConfig, fileEnvironment),
    rows: rowsOf(glConfig, fileEnvironment),
    services: servicesOf(await textOf('ginit_config.json'), fileEnvironment),
    sinks: sinks.flatMap((sink) => sink ?? []),
  }
}

function servicesOf(text: string | undefined, { references }: FileEnvironment): FileParts['services'] {
  const check = checkGinitConfig(Buffer.from(text ?? ''), references)
  if (check.kind === 'invalid') return []
  return check.config.services.map(({ name, file }) => ({ name, kind: serviceKind(name, file) }))
}

function serviceKind(name: string, file: string): ServiceState['kind'] {
  if (file.includes('nats-server')) return 'bus'
  if (name === 'gl') return 'gateway'
  if (name === 'gui') return 'web_interface'
  if (file.includes('nats2log')) return 'sink'
  return file.startsWith('processors/') || file.includes('regex') ? 'processor' : 'other'
}

function sinkPart(
  name: (typeof SINKS)[number],
  text: string | undefined,
  { references }: FileEnvironment,
): SinkPart | undefined {
  const check = checkSinkConfig(Buffer.from(text ?? ''), references)
  if (text === undefined || check.kind === 'invalid') return undefined
  const { admin_host: host, admin_port: port, file_writer: file } = check.config
  const mode = (hasTarget(check.config) && check.config.mode) || null
  return {
    name: name.replace('_config.json', ''),
    mode,
    target: mode === 'file_writer' ? (file?.filename ?? null) : null,
    metrics: port === 0 ? undefined : `http://${host}:${port}/metrics`,
  }
}

function rowsOf(text: string | undefined, { references }: FileEnvironment): readonly ProcessorPart[] {
  const check = checkGlConfig(Buffer.from(text ?? '{}'), references, { acceptMissing: true })
  if (check.kind !== 'checked') return []
  const { settings } = check.config
  return (['request', 'response'] as const).flatMap((phase) =>
    settings[phase].processors.flatMap((row, index) =>
      row.map(({ name, async: isAsync, required }) => ({ name, phase, row: index, async: isAsync, required })),
    ),
  )
}
