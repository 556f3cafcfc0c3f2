import type { GlSettings } from '@llm-gateway/conf'

/**
 * Settings that need a restart; all others take effect with a reload (docs/reference/configuration-rules.md#reload). A
 * subtree stands for all its leaves.
 */
export const STATIC_FIELDS: readonly string[] = [
  'gl_port',
  'admin_host',
  'admin_port',
  'tls',
  'service_bus',
  'record',
  'spool',
  'limits.buffered_bytes',
  'limits.header_bytes',
  'limits.request_headers_timeout_ms',
  'limits.keep_alive_timeout_ms',
  'limits.outbound_connect_timeout_ms',
  'limits.record_queue_bytes',
]

/** Returns the names of changed settings that wait for a restart, such as `tls.ingress.enabled`; never their values. */
export function changedStaticFields(started: GlSettings, next: GlSettings): readonly string[] {
  return STATIC_FIELDS.flatMap((field) => differences(field, valueAt(started, field), valueAt(next, field)))
}

function valueAt(settings: GlSettings, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => membersOf(value)?.get(name), settings)
}

function differences(field: string, one: unknown, other: unknown): readonly string[] {
  const [ones, others] = [membersOf(one), membersOf(other)]
  if (ones === undefined || others === undefined) return JSON.stringify(one) === JSON.stringify(other) ? [] : [field]
  const names = new Set([...ones.keys(), ...others.keys()])
  return [...names].flatMap((name) => differences(`${field}.${name}`, ones.get(name), others.get(name)))
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? new Map(Object.entries(value)) : undefined
}
