import { checkGlConfig, type GlSettings } from '@llm-gateway/conf'
import { type ImportTarget, ownResource, type Resource } from './import-part.ts'

/** Turns the settings of a file into an LLMGateway. Settings without a field show up as differences later. */
export function importGateway(settings: GlSettings, target: ImportTarget): Resource {
  const { session_id_header: header, limits } = settings
  const spec = {
    gatewayId: settings.gateway_id,
    ...busOf(settings, target),
    ...tlsOf(settings, target),
    ...(header === DEFAULT_SESSION ? {} : { session: { header } }),
    ...recordOf(settings),
    limits: {
      requestBytes: limits.request_bytes,
      drainDelaySeconds: Math.ceil(limits.drain_delay_ms / 1000),
      drainSeconds: Math.ceil(limits.drain_ms / 1000),
    },
  }
  return ownResource('LLMGateway', target.name, target, spec)
}

const DEFAULT_SESSION = 'Session-Id'
const DEFAULT_PREFIX = 'llm'
/** A bus on this machine becomes a managed bus. */
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Returns the prefix of all subjects, taken from the subject of records. */
export function prefixOf({ service_bus: { topic_exact_logger } }: GlSettings): string {
  return /^(.+)\.gl\.logger$/.exec(topic_exact_logger)?.[1] ?? DEFAULT_PREFIX
}

function busOf(settings: GlSettings, target: ImportTarget): object {
  const { hostname } = settings.service_bus
  const prefix = prefixOf(settings)
  const prefixField = prefix === DEFAULT_PREFIX ? {} : { prefix }
  if (LOCAL.test(hostname)) return prefix === DEFAULT_PREFIX ? {} : { bus: prefixField }
  const tokenSecretRef = { name: tokenSecret(target), key: 'token' }
  return { bus: { type: 'External', servers: [hostname], tokenSecretRef, ...prefixField } }
}

function tokenSecret({ name }: ImportTarget): string {
  return `${name}-external-bus`
}

function tlsOf({ tls: { ingress, outbound } }: GlSettings, target: ImportTarget): object {
  const caRefs = outbound.cert_files.map((_, index) => ({ name: authorities(target), key: authorityKey(index) }))
  const outboundFields = {
    ...(outbound.insecure ? { insecure: true } : {}),
    ...(outbound.system_cert_pool ? {} : { systemCertPool: false }),
    ...(caRefs.length === 0 ? {} : { caRefs }),
  }
  const tls = {
    ...(ingress.enabled ? { ingress: { secretRef: { name: certificate(target) } } } : {}),
    ...(Object.keys(outboundFields).length === 0 ? {} : { outbound: outboundFields }),
  }
  return Object.keys(tls).length === 0 ? {} : { tls }
}

function certificate({ name }: ImportTarget): string {
  return `${name}-certificate`
}

function authorities({ name }: ImportTarget): string {
  return `${name}-authorities`
}

function authorityKey(index: number): string {
  return `ca-${index + 1}.crt`
}

/** 1Gi */
const USUAL_SPOOL = 1024 ** 3
const USUAL_WAIT_MS = 2_000

function recordOf({ masked_headers, logger: { request, response }, ...settings }: GlSettings): object {
  const usual = new Set(defaultMasked().map((name) => name.toLowerCase()))
  const maskedHeaders = masked_headers.filter((name) => !usual.has(name.toLowerCase()))
  const record = {
    ...(maskedHeaders.length === 0 ? {} : { maskedHeaders }),
    ...filterOf('request', request),
    ...filterOf('response', response),
    ...(settings.record.stream === 'off' ? { stream: false } : {}),
    ...(settings.record.durability === 'journal' ? { durability: 'Journal' } : {}),
    ...(settings.record.when_full === 'refuse' ? { whenFull: 'Refuse' } : {}),
    ...(settings.record.wait_ms === USUAL_WAIT_MS ? {} : { waitMilliseconds: settings.record.wait_ms }),
    ...(settings.spool.max_bytes === USUAL_SPOOL ? {} : { spool: { size: String(settings.spool.max_bytes) } }),
  }
  return Object.keys(record).length === 0 ? {} : { record }
}

function filterOf(side: string, { fields_include, fields_exclude }: GlSettings['logger']['request']): object {
  const filter = {
    ...(fields_include.length === 0 ? {} : { fieldsInclude: fields_include }),
    ...(fields_exclude.length === 0 ? {} : { fieldsExclude: fields_exclude }),
  }
  return Object.keys(filter).length === 0 ? {} : { [side]: filter }
}

function defaultMasked(): readonly string[] {
  const check = checkGlConfig(Buffer.from('{}'), { environment: {} })
  return check.kind === 'checked' ? check.config.settings.masked_headers : []
}
