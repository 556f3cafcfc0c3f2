import {
  type CheckedGlConfig,
  checkGlConfig,
  type GlSettings,
  type ProcessorEntry,
  type References,
} from '@llm-gateway/conf'
import { isObject } from '@llm-gateway/kube'

/** A gateway's behaviour with a file: `gl_config.limits.drain_ms`, `router /a/`, `request: broker` → its parts. */
export type Behaviour = ReadonlyMap<string, Readonly<Record<string, string>>>

/** Returns the behaviour of a file, whatever its order and spelling; undefined: no gateway accepts the file. */
export function behaviourOf(file: Uint8Array, references: References): Behaviour | undefined {
  const check = checkGlConfig(file, references, { acceptMissing: true })
  if (check.kind !== 'checked') return undefined
  const { config } = check
  return new Map([...settingsOf(config.settings), ...routersOf(config), ...callsOf(config)])
}

/** The answer to callers of a router that only holds its path or is internal. */
export const NOT_FOUND = 'get 404'

type Entry = readonly [key: string, parts: Readonly<Record<string, string>>]

/** Keys that aren't compared: files and addresses differ between clusters, and nothing is published on the topic. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'gl_config.version',
  'gl_config.admin_host',
  'gl_config.service_bus.hostname',
  'gl_config.service_bus.topic',
  'gl_config.service_bus.token',
  'gl_config.spool.directory',
  'gl_config.tls.ingress.certificate_file',
  'gl_config.tls.ingress.private_key_file',
  'gl_config.tls.outbound.cert_files',
])

function settingsOf({ request: _, response: __, ...settings }: GlSettings): readonly Entry[] {
  const sets = {
    ...settings,
    masked_headers: Object.fromEntries(settings.masked_headers.map((name) => [name.toLowerCase(), true])),
    outbound_deny: Object.fromEntries(settings.outbound_deny.map((range) => [range, true])),
  }
  return [...leaves(sets, 'gl_config')].filter(([key]) => !NOT_COMPARED.has(key))
}

function* leaves(value: unknown, at: string): Generator<Entry> {
  if (!isObject(value)) yield [at, { value: JSON.stringify(value) ?? '' }]
  else for (const [key, inner] of Object.entries(value)) yield* leaves(inner, `${at}.${key}`)
}

function routersOf({ routers }: CheckedGlConfig): readonly Entry[] {
  return routers.map((router): Entry => {
    if (router.kind !== 'active') return [`router ${router.path}`, { callers: NOT_FOUND }]
    const { url, endpoint, headers } = router.outbound
    const address = { url, endpoint, ...headersOf('outbound.headers', headers) }
    const ingress = headersOf('ingress.headers', router.ingressHeaders)
    return [`router ${router.path}`, { callers: router.internal ? NOT_FOUND : 'are served', ...ingress, ...address }]
  })
}

type Headers = readonly { readonly name: string; readonly values: readonly string[] }[]

function headersOf(at: string, headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.map(({ name, values }) => [`${at}[${name.toLowerCase()}]`, JSON.stringify(values)]))
}

function callsOf({ settings, routers }: CheckedGlConfig): readonly Entry[] {
  const all = routers.map(({ path }) => path).filter((path) => !path.startsWith('/mock/') && path !== '/echo/')
  return (['request', 'response'] as const).flatMap((phase) => {
    const rows = settings[phase].processors.filter((row) => row.length > 0)
    const calls = rows.flatMap((row, index) =>
      row.map((entry, place): Entry => {
        const after = listed((rows[index - 1] ?? []).map(({ name }) => name))
        // Where two processors write one field, the first adds it and the last replaces it.
        const rivals = row.slice(0, place).filter((other) => writesAlike(entry, other))
        const behind = listed(rivals.map(({ name }) => name))
        const key = `${phase}: ${entry.name}${entry.async ? ' (async)' : ''}`
        return [key, { ...callOf(entry, phase, all), after, behind }]
      }),
    )
    return calls.map(([key, parts], index): Entry => {
      const number = calls.slice(0, index).filter(([other]) => other === key).length + 1
      return [number === 1 ? key : `${key} ${number}`, parts]
    })
  })
}

function writesAlike(one: ProcessorEntry, other: ProcessorEntry): boolean {
  return one.async === other.async && one.output_fields_write.some((field) => other.output_fields_write.includes(field))
}

function callOf(entry: ProcessorEntry, phase: string, all: readonly string[]): Readonly<Record<string, string>> {
  const reroutes = phase === 'request' && entry.output_fields_write.includes('gl_path')
  return {
    service_bus_topic: entry.service_bus_topic,
    timeout: String(entry.timeout),
    modifier: String(entry.modifier),
    required: String(entry.required),
    input_fields_include: listed(entry.input_fields_include),
    input_fields_exclude: listed(entry.input_fields_exclude),
    output_fields_write: listed(entry.output_fields_write),
    routers: listed(entry.routers ?? all),
    reroute_to: reroutes ? listed(entry.reroute_to ?? all) : '',
  }
}

function listed(values: readonly string[]): string {
  return [...new Set(values)].sort().join(' ')
}
