import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { StringDecoder } from 'node:string_decoder'
import { readSmallFile } from '@llm-gateway/conf'
import { endpoints, type TryEvent } from '@llm-gateway/gui-api'
import { type EventWriter, failed, type Route, route } from '../answer.ts'
import type { PreparedCall } from './prepare-call.ts'
import { ValueMasker } from './value-masker.ts'

/** Returns the gateway's address and the router's headers and secrets; undefined while no gateway is known. */
export type PrepareCall = (router: string) => Promise<PreparedCall | undefined>

const MOST_CALLS = 10
const MOST_ANSWER_BYTES = 8 * 1024 * 1024
const MOST_PIECE = 64 * 1024
const SILENCE_MS = 600_000
/** Headers of the connection, which a person must not set. */
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

/** Returns the route that sends a call to a router for the page. */
export function tryRoute(prepare: PrepareCall): Route {
  let calls = 0
  const end = (): void => {
    calls -= 1
  }
  return route(endpoints.try, async ({ body }) => {
    if (calls >= MOST_CALLS) return failed('TOO_MANY', 'Too many calls are being tried now.')
    // Counted before `prepare`, which may read a large file.
    calls += 1
    const prepared = await prepare(body.router).catch((error) => {
      end()
      throw error
    })
    if (prepared !== undefined)
      return {
        kind: 'events',
        run: (writer, signal) => tryCall({ ...prepared, ask: body }, { writer, signal }).finally(end),
      }
    end()
    return failed('GATEWAY_NOT_REACHABLE', 'The state of the gateway is not known yet.')
  })
}

type Call = PreparedCall & { readonly ask: Ask }
type TryOutput = { readonly writer: EventWriter<TryEvent>; readonly signal: AbortSignal }

async function tryCall(call: Call, { writer, signal }: TryOutput): Promise<void> {
  const began = performance.now()
  const at = () => Math.round((performance.now() - began) * 10) / 10
  try {
    const answer = await send(call, signal)
    const scrub = new ValueMasker(call.secrets)
    const headers = Object.entries(answer.headers).map(
      ([name, value]) => [name, scrub.push(String(value)) + scrub.end()] as const,
    )
    const id = answer.headers[call.target.sessionHeader.toLowerCase()]
    const transaction = typeof id === 'string' ? id : null
    writer.send({
      event: 'head',
      status: answer.statusCode ?? 0,
      headers: Object.fromEntries(headers),
      transaction_id: transaction,
      at_ms: at(),
    })
    const { bytes, cut } = await passOn(answer, (text) => showText(scrub.push(text), { writer, at }))
    await showText(scrub.end(), { writer, at })
    writer.send({ event: 'end', bytes, cut, at_ms: at() })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'INTERNAL'
    writer.send({ event: 'failed', code, message: failureText(code), at_ms: at() })
  }
}

async function showText(
  text: string,
  { writer, at }: { writer: EventWriter<TryEvent>; at: () => number },
): Promise<void> {
  for (let from = 0; from < text.length; from += MOST_PIECE)
    if (!writer.send({ event: 'text', text: text.slice(from, from + MOST_PIECE), at_ms: at() })) await writer.drained()
}

async function passOn(
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

async function send({ ask, target, callerHeaders }: Call, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = new Map<string, string | string[]>()
  const put = (name: string, value: string | readonly string[]) =>
    headers.set(name.toLowerCase(), typeof value === 'string' ? value : [...value])
  if (ask.body !== '') put('content-type', 'application/json')
  if (ask.caller_headers)
    for (const [name, values] of callerHeaders) put(name, values.length === 1 ? (values[0] ?? '') : values)
  for (const [name, value] of Object.entries(ask.headers)) if (!OWN_HEADERS.has(name.toLowerCase())) put(name, value)
  if (ask.session_id !== '') put(target.sessionHeader, ask.session_id)
  const ca = target.certificateFile === undefined ? undefined : await readSmallFile(target.certificateFile)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const options = {
    host: target.host,
    port: target.port,
    method: ask.method,
    path: ask.router + ask.rest,
    headers: { ...Object.fromEntries(headers), 'content-length': Buffer.byteLength(ask.body) },
    timeout: SILENCE_MS,
    agent: false,
    signal,
  }
  // The file is this machine's own certificate, so its names are not checked.
  const trust = ca === undefined ? {} : { ca, checkServerIdentity: () => undefined }
  const sent =
    target.scheme === 'http' ? httpRequest(options, resolve) : httpsRequest({ ...options, ...trust }, resolve)
  sent.on('error', reject)
  sent.on('timeout', () => sent.destroy(Object.assign(new Error('silent for too long'), { code: 'ETIMEDOUT' })))
  sent.end(ask.body)
  return await promise
}

function failureText(code: string): string {
  if (code === 'ECONNREFUSED') return 'The gateway does not answer: look whether it runs.'
  if (code === 'ECONNRESET') return 'The connection broke before the answer was whole.'
  if (code.startsWith('ERR_INVALID')) return 'A header has a name or a value that can’t be sent.'
  return 'The call could not be made.'
}
