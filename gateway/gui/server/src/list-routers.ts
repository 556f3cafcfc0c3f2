import { createHash } from 'node:crypto'
import { referencedNames } from '@llm-gateway/conf/editor'
import type { CheckedField, Router, Routers } from '@llm-gateway/gui-api'
import { checkText } from './files/check-text.ts'
import { type FileEnvironment, variableState } from './files/file-environment.ts'
import { currentText, type FileState } from './files/file-store.ts'
import { decodedJson } from './files/json-places.ts'
import type { GatewayStatus } from './live/gateway-client.ts'

type RouterEntry = Readonly<Record<string, unknown>>
type Headers = readonly { readonly name: string; readonly values: string[] }[]

/** Lists the draft's routers in the file's order. The built-in /echo/ comes last if the file has none. */
export function listRouters(
  state: FileState,
  { state: gateway, entries }: GatewayStatus,
  fileEnvironment: FileEnvironment,
): Routers {
  const current = currentText(state)
  const check = checkText('gl_config.json', current.text, fileEnvironment)
  const shown = routersIn(state.masks.mask(current.text).text)
  const hashes = routersIn(current.text).map(hashOf)
  const fields = Map.groupBy(check.fields, ({ path }) => (path[0] === 'routers' ? path[1] : undefined))
  const routers = shown.map((router, index) => {
    const path = textOf(router.path)
    const deployed = deployedState(entries.get(path), hashes[index], gateway.reachable)
    return routerOf({ router, index, fields: fields.get(index) ?? [], deployed }, fileEnvironment)
  })
  const paths = new Set(routers.map(({ path }) => path))
  const echo = paths.has('/echo/') ? [] : [builtIn(fileEnvironment)]
  const removed = [...entries.keys()].filter((path) => !paths.has(path) && path !== '/echo/')
  return { tag: current.digest, routers: [...routers, ...echo], removed }
}

function routersIn(text: string): readonly RouterEntry[] {
  const file = decodedJson(text)
  const { routers }: { routers?: unknown } = Object(file.kind === 'decoded' ? file.value : undefined)
  const list: readonly unknown[] = Array.isArray(routers) ? routers : []
  return list.map((router) => ({ ...Object(router) }))
}

/** Hashes a router as the gateway does in `/status?entries=1`. */
function hashOf(router: RouterEntry): string {
  return createHash('sha256').update(JSON.stringify(router)).digest('hex')
}

function deployedState(live: string | undefined, hash: string | undefined, known: boolean): Router['deployed'] {
  if (!known) return 'unknown'
  if (live === undefined) return 'new'
  return live === hash ? 'live' : 'changed'
}

type Judged = {
  readonly router: RouterEntry
  readonly index: number | null
  readonly fields: readonly CheckedField[]
  readonly deployed: Router['deployed']
}

function routerOf({ router, index, fields, deployed }: Judged, fileEnvironment: FileEnvironment): Router {
  const [ingress, outbound] = [objectOf(router.ingress), objectOf(router.outbound)]
  const [ingressHeaders, outboundHeaders] = [headersOf(ingress.headers), headersOf(outbound.headers)]
  const [disabled, internal] = [router.disabled === true, router.internal === true]
  const isRejected = fields.some((field) => field.state !== 'missing')
  const state = disabled ? 'disabled' : isRejected ? 'rejected' : internal ? 'internal' : 'active'
  const texts = [
    textOf(outbound.url),
    textOf(outbound.endpoint),
    ...[...ingressHeaders, ...outboundHeaders].flatMap(({ values }) => values),
  ]
  const names = [...new Set(texts.flatMap((text) => referencedNames(text)))]
  return {
    index,
    path: textOf(router.path),
    disabled,
    internal,
    url: textOf(outbound.url),
    endpoint: textOf(outbound.endpoint),
    ingress_headers: [...ingressHeaders],
    outbound_headers: [...outboundHeaders],
    variables: names.map((name) => ({ name, state: variableState(name, fileEnvironment) })),
    state,
    fields: [...fields],
    // The gateway has the router's text but doesn't run the router.
    deployed: deployed === 'live' && state === 'rejected' ? 'rejected' : deployed,
    caller_headers: ingressHeaders.flatMap(callerHeader),
  }
}

function callerHeader({ name, values }: Headers[number]): Router['caller_headers'] {
  return values.map((value) => {
    const [variable = null] = referencedNames(value)
    const isOpen = variable === null && value !== 'regex:.+' && !value.includes('[*****MASKED*****]')
    return { name, value: isOpen ? value : null, variable }
  })
}

function builtIn(fileEnvironment: FileEnvironment): Router {
  const router = { path: '/echo/', outbound: { url: 'https://localhost' } }
  return routerOf({ router, index: null, fields: [], deployed: 'live' }, fileEnvironment)
}

function headersOf(headers: unknown): Headers {
  return Object.entries(objectOf(headers)).map(([name, values]) => ({
    name,
    values: (Array.isArray(values) ? values : [values]).map(shownText),
  }))
}

/** Shows a value that a header can't have, too: an object may have members that make `String` throw. */
function shownText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function objectOf(value: unknown): RouterEntry {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
