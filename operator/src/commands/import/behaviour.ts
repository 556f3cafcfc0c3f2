import {
  type CheckedGlConfig,
  checkGlConfig,
  type GlSettings,
  type ProcessorEntry,
  type References,
} from '@llm-gateway/conf'
import { isObject } from '@llm-gateway/kube'

/** A trait of a gateway's behaviour. Its parts may be shown, except those of a router's headers and URL. */
export type Trait = {
  /** `set member`: a masked header or a denied address. `held path`: a router that only holds its path. */
  readonly kind: 'setting' | 'set member' | 'router' | 'held path' | 'call'
  /** True where callers of a router get 404. */
  readonly isHidden?: boolean
  readonly parts: Readonly<Record<string, string>>
}

/** A gateway's behaviour with a file: `gl_config.limits.drain_ms`, `router /a/`, `request: broker` → the trait. */
export type Behaviour = ReadonlyMap<string, Trait>

/** Returns the behaviour of a file, whatever its order and spelling; undefined: no gateway accepts the file. */
export function behaviourOf(file: Uint8Array, references: References): Behaviour | undefined {
  const check = checkGlConfig(file, references, { acceptMissing: true })
  if (check.kind !== 'checked') return undefined
  const { config } = check
  return new Map([...settingsOf(config.settings), ...routersOf(config), ...callsOf(config)])
}

type Entry = readonly [key: string, trait: Trait]

/** Returns the key of a router in a Behaviour. */
export function routerKey(path: string): string {
  return `router ${path}`
}

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

function settingsOf({
  request: _,
  response: __,
  masked_headers: headers,
  outbound_deny: ranges,
  ...settings
}: GlSettings): readonly Entry[] {
  return [
    ...[...leaves(settings, 'gl_config')].filter(([key]) => !NOT_COMPARED.has(key)),
    ...headers.map((name) => memberOf('masked_headers', name.toLowerCase())),
    ...ranges.map((range) => memberOf('outbound_deny', range)),
  ]
}

function* leaves(value: unknown, at: string): Generator<Entry> {
  if (!isObject(value)) yield [at, { kind: 'setting', parts: { value: JSON.stringify(value) ?? '' } }]
  else for (const [key, inner] of Object.entries(value)) yield* leaves(inner, `${at}.${key}`)
}

function memberOf(set: string, member: string): Entry {
  return [`gl_config.${set}.${member}`, { kind: 'set member', parts: {} }]
}

function routersOf({ routers }: CheckedGlConfig): readonly Entry[] {
  return routers.map((router): Entry => {
    const key = routerKey(router.path)
    if (router.kind !== 'active') return [key, { kind: 'held path', isHidden: true, parts: {} }]
    const { url, endpoint, headers } = router.outbound
    const address = { url, endpoint, ...headersOf('outbound.headers', headers) }
    const ingress = headersOf('ingress.headers', router.ingressHeaders)
    return [key, { kind: 'router', isHidden: router.internal, parts: { ...ingress, ...address } }]
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
        // When processors of a row write one field, the first addition and the last replacement win.
        const rivals = row.slice(0, place).filter((other) => writesAlike(entry, other))
        const behind = listed(rivals.map(({ name }) => name))
        const key = `${phase}: ${entry.name}${entry.async ? ' (async)' : ''}`
        return [key, { kind: 'call', parts: { ...callOf(entry, phase, all), after, behind } }]
      }),
    )
    return calls.map(([key, trait], index): Entry => {
      const number = calls.slice(0, index).filter(([other]) => other === key).length + 1
      return [number === 1 ? key : `${key} ${number}`, trait]
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
