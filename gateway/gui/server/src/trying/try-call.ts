import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { StringDecoder } from 'node:string_decoder'
import { checkGlConfig } from '@llm-gateway/conf'
import { lookUp } from '@llm-gateway/conf/editor'
import { endpoints, type TryEvent } from '@llm-gateway/gui-api'
import { type EventSink, failed, type Route, route } from '../answer.ts'
import type { Surroundings } from '../files/surroundings.ts'
import { type GatewayPlace, gatewayPlace } from '../live/gateway-client.ts'
import { Scrub } from './scrub.ts'

/** Where a call goes and what is known of its router; undefined: nothing is known of a gateway. */
export type PrepareCall = (router: string) => Promise<PreparedCall | undefined>

export type PreparedCall = {
  readonly place: CallPlace
  readonly callerHeaders: ReadonlyMap<string, readonly string[]>
  /** Values that no answer may show. */
  readonly secrets: readonly string[]
}

export type CallPlace = Pick<GatewayPlace, 'scheme' | 'port' | 'certificateFile' | 'sessionHeader'> & {
  readonly host: string
}

export type TryDoors = {
  /** The gl_config.json that runs. */
  readonly liveText: () => Promise<string | undefined>
  readonly surroundings: () => Promise<Surroundings>
}

const MOST_CALLS = 10
const MOST_ANSWER_BYTES = 8 * 1024 * 1024
const MOST_PIECE = 64 * 1024
const SILENCE_MS = 600_000
/** What belongs to the connection is not the person's to write. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
])

type Ask = (typeof endpoints)['try']['body']['_zod']['output']

/** What sends a call to a router for the page. */
export function tryRoute(prepare: PrepareCall): Route {
  let calls = 0
  return route(endpoints.try, async ({ body }) => {
    const prepared = await prepare(body.router)
    if (prepared === undefined) return failed('GATEWAY_NOT_REACHABLE', 'Nothing is known of the gateway yet.')
    // Nothing is awaited from here to the count: calls that come together are counted too.
    if (calls >= MOST_CALLS) return failed('TOO_MANY', 'Too many calls are being tried now.')
    calls += 1
    return {
      kind: 'events',
      run: (sink, signal) =>
        tryCall({ ...prepared, ask: body }, { sink, signal }).finally(() => {
          calls -= 1
        }),
    }
  })
}

/** The gateway on this machine, as its live file says. */
export function prepareByFile({ liveText, surroundings }: TryDoors): PrepareCall {
  return async (router) => {
    const around = await surroundings()
    const text = await liveText()
    const place = { ...gatewayPlace(text, around), host: '127.0.0.1' }
    return { place, ...routerInFile(text, router, around) }
  }
}

/** What the router asks of its callers, and the values that no answer may show. */
function routerInFile(
  text: string | undefined,
  path: string,
  { references }: Surroundings,
): Omit<PreparedCall, 'place'> {
  const check = checkGlConfig(Buffer.from(text ?? '{}'), references, { acceptMissing: true })
  const routers = check.kind === 'checked' ? check.config.routers : []
  const router = routers.find((one) => one.path === path)
  const ingress = router?.kind === 'active' ? router.ingressHeaders : []
  const known = ingress.filter(({ values }) => values[0] !== 'regex:.+')
  const keys = routers.flatMap((one) => (one.kind === 'active' ? [...one.ingressHeaders, ...one.outbound.headers] : []))
  const names = new Set(
    check.kind === 'checked' ? check.config.settings.masked_headers.map((name) => name.toLowerCase()) : [],
  )
  const secret = keys.filter((one) => one.secret || names.has(one.name.toLowerCase())).flatMap(({ values }) => values)
  const own = ['GUI_SECRET', 'NATS_TOKEN'].flatMap((name) => lookUp(name, references) ?? [])
  const bare = secret.map((value) => value.replace(/^\S+ +/, ''))
  return {
    callerHeaders: new Map(known.map(({ name, values }) => [name, values])),
    secrets: [...secret, ...bare, ...own],
  }
}

type Call = PreparedCall & { readonly ask: Ask }
type Showing = { readonly sink: EventSink<TryEvent>; readonly signal: AbortSignal }

async function tryCall(call: Call, { sink, signal }: Showing): Promise<void> {
  const began = performance.now()
  const at = () => Math.round((performance.now() - began) * 10) / 10
  try {
    const answer = await send(call, signal)
    const scrub = new Scrub(call.secrets)
    const headers = Object.entries(answer.headers).map(
      ([name, value]) => [name, whole(call.secrets, String(value))] as const,
    )
    const id = answer.headers[call.place.sessionHeader.toLowerCase()]
    const transaction = typeof id === 'string' ? id : null
    sink.send({
      event: 'head',
      status: answer.statusCode ?? 0,
      headers: Object.fromEntries(headers),
      transaction_id: transaction,
      at_ms: at(),
    })
    const { bytes, cut } = await pass(answer, (text) => showText(scrub.push(text), { sink, at }))
    await showText(scrub.end(), { sink, at })
    sink.send({ event: 'end', bytes, cut, at_ms: at() })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL'
    sink.send({ event: 'failed', code, message: failureText(code), at_ms: at() })
  }
}

async function showText(text: string, { sink, at }: { sink: EventSink<TryEvent>; at: () => number }): Promise<void> {
  for (let from = 0; from < text.length; from += MOST_PIECE)
    if (!sink.send({ event: 'text', text: text.slice(from, from + MOST_PIECE), at_ms: at() })) await sink.drained()
}

async function pass(
  answer: IncomingMessage,
  show: (text: string) => Promise<void>,
): Promise<{ bytes: number; cut: boolean }> {
  const decoder = new StringDecoder('utf8')
  let bytes = 0
  for await (const piece of answer) {
    bytes += piece.length
    if (bytes > MOST_ANSWER_BYTES) {
      answer.destroy()
      return { bytes, cut: true }
    }
    await show(decoder.write(piece))
  }
  await show(decoder.end())
  return { bytes, cut: false }
}

async function send({ ask, place, callerHeaders }: Call, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = new Map<string, string | string[]>()
  const put = (name: string, value: string | readonly string[]) =>
    headers.set(name.toLowerCase(), typeof value === 'string' ? value : [...value])
  if (ask.body !== '') put('content-type', 'application/json')
  if (ask.caller_headers)
    for (const [name, values] of callerHeaders) put(name, values.length === 1 ? (values[0] ?? '') : values)
  for (const [name, value] of Object.entries(ask.headers)) if (!OWN_HEADERS.has(name.toLowerCase())) put(name, value)
  if (ask.session_id !== '') put(place.sessionHeader, ask.session_id)
  const ca = place.certificateFile === undefined ? undefined : await readFile(place.certificateFile, 'utf8')
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const options = {
    host: place.host,
    port: place.port,
    method: ask.method,
    path: ask.router + ask.rest,
    headers: { ...Object.fromEntries(headers), 'content-length': Buffer.byteLength(ask.body) },
    timeout: SILENCE_MS,
    agent: false,
    signal,
  }
  // It is this machine's own certificate, whatever name it is for.
  const trust = ca === undefined ? {} : { ca, checkServerIdentity: () => undefined }
  const sent = place.scheme === 'http' ? httpRequest(options, resolve) : httpsRequest({ ...options, ...trust }, resolve)
  sent.on('error', reject)
  sent.on('timeout', () => sent.destroy(Object.assign(new Error('silent for too long'), { code: 'ETIMEDOUT' })))
  sent.end(ask.body)
  return await promise
}

function whole(secrets: readonly string[], text: string): string {
  const scrub = new Scrub(secrets)
  return scrub.push(text) + scrub.end()
}

function failureText(code: string): string {
  if (code === 'ECONNREFUSED') return 'The gateway does not answer: look whether it runs.'
  if (code === 'ECONNRESET') return 'The connection broke before the answer was whole.'
  if (code.startsWith('ERR_INVALID')) return 'A header has a name or a value that can’t be sent.'
  return 'The call could not be made.'
}
