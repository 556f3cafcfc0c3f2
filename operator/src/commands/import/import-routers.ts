import type { CheckedGlConfig, CheckedRouter } from '@llm-gateway/conf'
import { isObject, listAt, textAt, valueAt } from '@llm-gateway/kube'
import { type ImportPart, type ImportTarget, ownResource, type Resource, variablesSecret } from './import-part.ts'
import { createNames } from './resource-name.ts'
import { resourceText } from './resource-text.ts'

const ECHO = '/echo/'
const MOVE_IT = 'put it into a Secret, name that in env as valueFrom.secretKeyRef, and write its ${NAME} instead'

export type WrittenRouters = {
  /** The entries as the file has them. */
  readonly entries: readonly unknown[]
  /** The verdicts of the gateway's own check. */
  readonly checked: readonly CheckedRouter[]
  readonly rejectedFields: CheckedGlConfig['rejectedFields']
  /** Names of headers that hold keys, in lower case. */
  readonly masked: ReadonlySet<string>
  /** Paths of the routers that a Mock makes by itself. */
  readonly replayed: ReadonlySet<string>
}

/** Turns the routers of a file into Routers. A disabled or rejected router keeps its path. */
export function importRouters(
  { entries, checked, rejectedFields, replayed, masked }: WrittenRouters,
  target: ImportTarget,
): ImportPart {
  const nameOf = createNames()
  const byIndex = new Map(checked.map((router) => [router.index, router]))
  const resources: Resource[] = []
  const notes: string[] = []
  for (const [index, entry] of entries.entries()) {
    const path = textAt(entry, 'path') ?? ''
    // Every gateway has /echo/, and a Mock makes its own replays.
    if (path === ECHO || replayed.has(path)) continue
    const verdict = byIndex.get(index)
    const refusal = verdict === undefined ? rejectedPath(rejectedFields, index) : refusalOf(path)
    if (refusal !== undefined) {
      notes.push(`left out: router ${path === '' ? '(no path)' : path}: ${refusal}`)
      continue
    }
    const internal = verdict?.kind === 'active' && verdict.internal
    const router = importRouter(entry, path, { nameOf, target, internal })
    const cause = causeToHold(entry, verdict)
    resources.push(cause === undefined ? router : heldRouter(router))
    const where = cause === undefined ? openCredentials(entry, masked) : []
    if (where.length > 0)
      notes.push(`Router ${router.metadata.name}: ${where.join(', ')} holds a key in plain text: ${MOVE_IT}`)
    if (cause !== undefined)
      notes.push(`router ${path} ${cause}: the Router is made internal, so that its callers get 404`)
  }
  return { resources, notes }
}

/** Returns why an entry's path can't be held. */
function rejectedPath(rejected: WrittenRouters['rejectedFields'], index: number): string {
  const reason = rejected[`gl_config.Routers[${index}].Router.Path`] ?? ''
  if (reason === 'unique:Path') return 'an earlier router has this path'
  return reason === 'required:'
    ? 'it has no path'
    : 'its path is not valid: a path is /name/ with letters, digits and _ - . ~'
}

/** Returns why no Router can have this path (docs/reference/kubernetes.md#paths); undefined: one can. */
function refusalOf(path: string): string | undefined {
  if (path === '/') return 'the path / is reserved'
  return path.startsWith('/mock/') ? 'paths below /mock/ are reserved for a Mock' : undefined
}

/** Names that no Router may refer to (docs/reference/kubernetes.md#variables). */
const RESERVED = /\$\{?(NATS_TOKEN|GUI_SECRET|SECRETS_DIR|V_\w*)/

/** Returns why an entry can only hold its path; undefined: it can work. */
function causeToHold(entry: unknown, verdict: CheckedRouter | undefined): string | undefined {
  if (verdict?.kind === 'disabled') return 'is disabled'
  const name = RESERVED.exec(JSON.stringify(entry))?.[1]
  if (name !== undefined) return `refers to ${name}, which is reserved`
  return verdict?.kind === 'active' ? undefined : 'is rejected by the gateway'
}

/** Makes a Router whose callers get 404, so that they never reach a shorter path's Router. */
export function heldRouter({ spec, ...resource }: Resource): Resource {
  const outbound = { url: 'https://localhost' }
  return {
    ...resource,
    spec: { gatewayRef: valueAt(spec, 'gatewayRef'), path: valueAt(spec, 'path'), internal: true, outbound },
  }
}

type ImportContext = {
  readonly nameOf: (text: string) => string
  readonly target: ImportTarget
  readonly internal: boolean
}

function importRouter(entry: unknown, path: string, { nameOf, target, internal }: ImportContext): Resource {
  const variables = new Variables(target)
  const ingress = variables.headers(valueAt(entry, 'ingress', 'headers'))
  const outbound = variables.headers(valueAt(entry, 'outbound', 'headers'))
  const endpoint = textAt(entry, 'outbound', 'endpoint') ?? ''
  const url = textAt(entry, 'outbound', 'url') ?? ''
  const spec = {
    gatewayRef: { name: target.name },
    path,
    ...(internal ? { internal } : {}),
    ...(ingress === undefined ? {} : { ingress: { headers: ingress } }),
    outbound: {
      url: variables.text(url),
      ...(endpoint === '' ? {} : { endpoint: variables.text(endpoint) }),
      ...(outbound === undefined ? {} : { headers: outbound }),
    },
  }
  const env = variables.env()
  return ownResource('Router', nameOf(path), target, env.length === 0 ? spec : { ...spec, env })
}

/** The variables of one Router. */
class Variables {
  readonly #secret: string
  readonly #names = new Set<string>()
  /** Text → variable. */
  readonly #literals = new Map<string, string>()

  constructor(target: ImportTarget) {
    this.#secret = variablesSecret(target)
  }

  text(written: string): string {
    const { text, names, literals } = resourceText(written)
    for (const name of names) this.#names.add(name)
    let named = text
    for (const [place, literal] of literals) {
      const name = this.#literals.get(literal) ?? `LITERAL${this.#literals.size + 1}`
      this.#literals.set(literal, name)
      named = named.replace(`\${${place}}`, () => `\${${name}}`)
    }
    return named
  }

  headers(given: unknown): Readonly<Record<string, readonly string[]>> | undefined {
    if (!isObject(given) || Object.keys(given).length === 0) return undefined
    return Object.fromEntries(
      Object.keys(given).map((name) => [name, listAt(given, name).map((value) => this.text(String(value)))]),
    )
  }

  env(): readonly object[] {
    return [
      ...[...this.#names]
        .sort()
        .map((name) => ({ name, valueFrom: { secretKeyRef: { name: this.#secret, key: name } } })),
      ...[...this.#literals].map(([value, name]) => ({ name, value })),
    ]
  }
}

const SIDES = ['ingress', 'outbound'] as const
/** Texts of a masked header that are no secrets: references, the scheme before them, and the demand for any value. */
const OPEN = /^regex:\.\+$|\$\{?[A-Za-z_][A-Za-z0-9_]*\}?|^(Bearer|Basic|Token) +/gi

/**
 * Names the masked headers of an entry whose text is no reference and may be a key: `outbound.headers[Authorization]`.
 */
function openCredentials(entry: unknown, masked: ReadonlySet<string>): readonly string[] {
  return SIDES.flatMap((side) => {
    const headers = valueAt(entry, side, 'headers')
    return Object.keys(isObject(headers) ? headers : {})
      .filter((name) => masked.has(name.toLowerCase()))
      .filter((name) => listAt(headers, name).some((value) => String(value).replaceAll(OPEN, '').trim() !== ''))
      .map((name) => `${side}.headers[${name}]`)
  })
}
