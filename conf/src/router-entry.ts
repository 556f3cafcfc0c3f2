import { createHash } from 'node:crypto'
import { z } from 'zod'
import { expand } from './env-reference.ts'
import type { References } from './types.ts'

const headersSchema = z.record(z.string(), z.array(z.string()))

/** The form of a router's entry; what its values may be is judged field by field (wire, 1.1). */
export const routerEntrySchema = z.object({
  path: z.string(),
  disabled: z.boolean().default(false),
  internal: z.boolean().default(false),
  ingress: z.object({ headers: headersSchema.default({}) }).prefault({}),
  outbound: z
    .object({ url: z.string().default(''), endpoint: z.string().default(''), headers: headersSchema.default({}) })
    .prefault({}),
})

export type RouterHeader = {
  /** As it is written. */
  readonly name: string
  readonly values: readonly string[]
  /** Configured with a reference: masked everywhere. */
  readonly secret: boolean
}

export type ActiveRouter = {
  readonly kind: 'active'
  readonly index: number
  readonly path: string
  readonly internal: boolean
  readonly ingressHeaders: readonly RouterHeader[]
  readonly outbound: {
    readonly url: string
    readonly endpoint: string
    readonly headers: readonly RouterHeader[]
    /** Query parameters of url and endpoint whose configured value contains a reference: masked. */
    readonly secretQueryParameters: readonly string[]
  }
  readonly entryHash: string
}

/** Keeps its path: its callers get 404, never a shorter prefix (wire, 1.1). */
export type HeldRouter = {
  readonly kind: 'rejected' | 'disabled'
  readonly index: number
  readonly path: string
  readonly entryHash: string
}
export type CheckedRouter = ActiveRouter | HeldRouter

export type RouterCheck = {
  /** undefined where the path itself can't be held. */
  readonly router: CheckedRouter | undefined
  /** Field path below `Router.` → reason. */
  readonly rejected: ReadonlyMap<string, string>
  readonly names: readonly string[]
}

const pathPattern = /^\/$|^(\/[A-Za-z0-9_\-.~]+)+\/$/
const reservedNames: ReadonlySet<string> = new Set(['NATS_TOKEN', 'GUI_SECRET'])

/** Judges one router on its own. */
export function checkRouter(entry: unknown, index: number, references: References): RouterCheck {
  const entryHash = createHash('sha256').update(JSON.stringify(entry)).digest('hex')
  const path = typeof entry === 'object' && entry !== null && 'path' in entry ? entry.path : undefined
  if (typeof path !== 'string' || path === '') return refused(new Map([['Path', 'required:']]))
  if (!pathPattern.test(path) || path.split('/').some((part) => part === '.' || part === '..'))
    return refused(new Map([['Path', 'router:']]))
  if ('disabled' in Object(entry) && Object(entry).disabled === true) {
    return { router: { kind: 'disabled', index, path, entryHash }, rejected: new Map(), names: [] }
  }
  const parsed = routerEntrySchema.safeParse(entry)
  if (!parsed.success) {
    const rejected = new Map(parsed.error.issues.map((issue) => [fieldName(issue.path), 'router:']))
    return { router: { kind: 'rejected', index, path, entryHash }, rejected, names: [] }
  }
  const fields = createFieldReader(references)
  const { ingress, outbound } = parsed.data
  const url = fields.read('Outbound.Url', outbound.url, (text) =>
    text === '' ? 'required:' : isHttpUrl(text) ? undefined : 'http_url:',
  )
  const endpoint = fields.read('Outbound.Endpoint', outbound.endpoint, (text) =>
    isEndpoint(text) ? undefined : 'endpoint:',
  )
  const ingressHeaders = fields.headers('Ingress.Headers', ingress.headers)
  const outboundHeaders = fields.headers('Outbound.Headers', outbound.headers)
  const { rejected, names } = fields
  if (rejected.size > 0) return { router: { kind: 'rejected', index, path, entryHash }, rejected, names }
  const secretQueryParameters = [
    ...secretParameters(outbound.url, url),
    ...secretParameters(outbound.endpoint, endpoint),
  ]
  const router: ActiveRouter = {
    kind: 'active',
    index,
    path,
    internal: parsed.data.internal,
    ingressHeaders,
    outbound: { url, endpoint, headers: outboundHeaders, secretQueryParameters },
    entryHash,
  }
  return { router, rejected, names }
}

function refused(rejected: ReadonlyMap<string, string>): RouterCheck {
  return { router: undefined, rejected, names: [] }
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part) =>
      typeof part === 'number' ? `[${part}]` : String(part).replace(/^./, (first) => first.toUpperCase()),
    )
    .join('.')
}

function createFieldReader(references: References) {
  const rejected = new Map<string, string>()
  const names: string[] = []
  function read(field: string, text: string, judge: (expanded: string) => string | undefined): string {
    const expansion = expand(text, references)
    names.push(...expansion.names)
    const reason = expansion.names.some((name) => reservedNames.has(name))
      ? 'reserved:'
      : expansion.names.some((name) => expand(`$${name}`, references).text === '')
        ? 'required:'
        : judge(expansion.text)
    if (reason !== undefined) rejected.set(field, reason)
    return expansion.text
  }
  function headers(field: string, written: Readonly<Record<string, readonly string[]>>): RouterHeader[] {
    return Object.entries(written).map(([name, values]) => {
      if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) rejected.set(`${field}[${name}]`, 'ascii:')
      const judge = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? undefined : 'ascii:')
      return {
        name,
        values: values.map((value, i) => read(`${field}[${name}][${i}]`, value, judge)),
        secret: values.some((value) => expand(value, references).names.length > 0),
      }
    })
  }
  return { rejected, names, read, headers }
}

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text) || /[#\s\\]/.test(text)) return false
  return new URL(text).hostname !== ''
}

function isEndpoint(text: string): boolean {
  return (
    !/[\0\r\n\s#\\]/.test(text) &&
    !text
      .split('?', 1)[0]
      ?.split('/')
      .some((part) => part === '.' || part === '..')
  )
}

/** Where the reference covers more than values (a whole url), every parameter it brought is secret. */
function secretParameters(written: string, expanded: string): readonly string[] {
  if (!written.includes('$')) return []
  const query = (text: string) => new URLSearchParams(text.includes('?') ? text.slice(text.indexOf('?') + 1) : '')
  const plain = query(written)
  return [...query(expanded)].filter(([name, value]) => plain.get(name) !== value).map(([name]) => name)
}
