import type { ProgramSettings } from '@llm-gateway/conf/processor'
import { DEFAULT_BUS_PREFIX, processorSubject } from '@llm-gateway/protocol'
import { type BusOptions, busOptions, type ProcessorEnvironment } from '../bus/bus-options.ts'
import { settingsRoot } from './load-settings.ts'

export type ProcessorPlan = {
  readonly subject: string
  readonly bus: BusOptions
  /** Undefined: no port is opened. */
  readonly port: { readonly host: string | undefined; readonly port: number } | undefined
}

export type Planned =
  | { readonly kind: 'planned'; readonly plan: ProcessorPlan }
  | { readonly kind: 'invalid'; readonly validationErrors: Readonly<Record<string, string>> }

const SUBJECT = /^[^\s*>.]+(?:\.[^\s*>.]+)*$/
const MAX_PORT = 65_535

/** Plans a processor's subject, bus and port from its environment and the settings that all processors share. */
export function planProcessor(
  name: string,
  environment: ProcessorEnvironment,
  settings: Pick<ProgramSettings, 'service_bus'>,
): Planned {
  const { PROCESSOR_SUBJECT, PROCESSOR_PORT, PROCESSOR_HOST, BUS_PREFIX, GATEWAY_HOST } = environment
  const subject = PROCESSOR_SUBJECT || processorSubject(BUS_PREFIX || DEFAULT_BUS_PREFIX, name)
  const bus = busOptions(environment, settings.service_bus)
  const port = portOf(PROCESSOR_PORT || '0')
  if (bus !== undefined && port !== undefined && SUBJECT.test(subject)) {
    const host = PROCESSOR_HOST || undefined
    return { kind: 'planned', plan: { subject, bus, port: port === 0 ? undefined : { host, port } } }
  }
  const hostname = `${settingsRoot({ name })}.service_bus.hostname`
  const validationErrors = {
    ...(bus === undefined ? { [GATEWAY_HOST ? 'GATEWAY_HOST' : hostname]: 'address:' } : {}),
    ...(port === undefined ? { PROCESSOR_PORT: 'port:' } : {}),
    ...(SUBJECT.test(subject) ? {} : { [PROCESSOR_SUBJECT ? 'PROCESSOR_SUBJECT' : 'BUS_PREFIX']: 'subject:' }),
  }
  return { kind: 'invalid', validationErrors }
}

function portOf(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT ? Number(text) : undefined
}
