import { createHash } from 'node:crypto'
import { checkGlConfig, type GlSettings } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import { ADMIN_PORT, BUS_PORT, GATEWAY_PORT, namesOf, SPOOL_DIR } from '../../model/names.ts'
import { bytesOf } from '../objects/quantity.ts'
import { OUTBOUND_DENY } from './outbound-deny.ts'

/**
 * Returns the gateway's own settings of gl_config.json. A setting that is left out has its default
 * (docs/reference/gl-config.md).
 */
export function gatewaySettings(gateway: LlmGateway): Readonly<Record<string, unknown>> {
  const { spec } = gateway
  const { prefix } = spec.bus
  return {
    gateway_id: gatewayIdOf(gateway),
    gl_port: GATEWAY_PORT,
    admin_host: '0.0.0.0',
    admin_port: ADMIN_PORT,
    session_id_header: spec.session.header,
    masked_headers: maskedHeaders(gateway),
    service_bus: {
      hostname: busAddress(gateway),
      topic: `${prefix}.gl.events`,
      topic_exact_isalive: `${prefix}.gl.isalive`,
      topic_exact_logger: `${prefix}.gl.logger`,
      token: '${NATS_TOKEN}',
    },
    record: recordOf(gateway),
    spool: { directory: SPOOL_DIR, max_bytes: bytesOf(spec.record.spool.size) },
    outbound_deny: OUTBOUND_DENY,
    limits: {
      request_bytes: spec.limits.requestBytes,
      drain_delay_ms: spec.limits.drainDelaySeconds * 1000,
      drain_ms: spec.limits.drainSeconds * 1000,
    },
    // Without these lines the file's default would hold: a row for the token counter, which doesn't run here.
    request: { processors: [] },
    response: { processors: [] },
    logger: { request: fieldFilter(spec.record.request), response: fieldFilter(spec.record.response) },
  }
}

/** Returns the explicit id, else 8 characters made from the uid. */
export function gatewayIdOf({ metadata, spec }: LlmGateway): string {
  if (spec.gatewayId !== '') return spec.gatewayId
  const number = BigInt(`0x${createHash('sha256').update(metadata.uid).digest('hex').slice(0, 16)}`)
  return number.toString(36).toUpperCase().padStart(8, '0').slice(-8)
}

/** Returns the file's default masked headers, then those of the resource, each once. */
export function maskedHeaders({ spec }: LlmGateway): readonly string[] {
  const masked = new Map<string, string>()
  for (const name of [...defaults().masked_headers, ...(spec.record.maskedHeaders ?? [])]) {
    if (!masked.has(name.toLowerCase())) masked.set(name.toLowerCase(), name)
  }
  return [...masked.values()]
}

function defaults(): GlSettings {
  const verdict = checkGlConfig(Buffer.from('{}'), { environment: {} })
  if (verdict.kind !== 'checked') throw new Error('an empty gl_config.json has every default')
  return verdict.config.settings
}

/** Returns host:port of the gateway's bus. */
export function busAddress(gateway: LlmGateway): string {
  const { bus } = gateway.spec
  const managed = `${namesOf(gateway.metadata).bus}.${gateway.metadata.namespace}.svc:${BUS_PORT}`
  return bus.type === 'Managed' ? managed : (bus.servers?.[0] ?? managed)
}

/** Leaves defaults out: a gateway reads `record` at its start, so a new member would restart every gateway. */
function recordOf({ spec: { record } }: LlmGateway): object {
  const { stream, durability, whenFull, waitMilliseconds } = record
  return {
    ...(stream ? {} : { stream: 'off' }),
    durability: durability === 'Journal' ? 'journal' : 'outage',
    ...(whenFull === 'Refuse' ? { when_full: 'refuse' } : {}),
    ...(waitMilliseconds === USUAL_WAIT_MS ? {} : { wait_ms: waitMilliseconds }),
  }
}

const USUAL_WAIT_MS = 2_000

type FieldFilter = {
  readonly fieldsInclude?: readonly string[] | undefined
  readonly fieldsExclude?: readonly string[] | undefined
}

function fieldFilter({ fieldsInclude = [], fieldsExclude = [] }: FieldFilter = {}): object {
  return { fields_include: fieldsInclude, fields_exclude: fieldsExclude }
}
