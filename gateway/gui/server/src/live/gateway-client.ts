import { StringDecoder } from 'node:string_decoder'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkGlConfig } from '@llm-gateway/conf'
import type { GatewayState } from '@llm-gateway/gui-api'
import type { FileEnvironment } from '../files/file-environment.ts'
import { type Sample, sampleReader } from './metrics-text.ts'

/** The addresses of the gateway according to its live file. */
export type GatewayAddress = {
  readonly scheme: 'http' | 'https'
  readonly port: number
  /** The base URL of the admin port; undefined if the port is off. */
  readonly admin: string | undefined
  /** The ingress certificate, trusted for calls from the try page. */
  readonly certificateFile: string | undefined
  readonly sessionHeader: string
}

export type GatewayStatus = {
  readonly state: GatewayState
  readonly entries: ReadonlyMap<string, string>
  /** A count of changes of delivered values; unset if no values are delivered. */
  readonly valuesRevision?: string
}

/** Limits of an answer's time and size. */
export type FetchLimits = { readonly timeoutMs: number; readonly mostBytes: number }

const LIMITS: FetchLimits = { timeoutMs: 5_000, mostBytes: 64 * 1024 * 1024 }

/** Reads the addresses from the text of gl_config.json; a missing or invalid file has the default addresses. */
export function gatewayAddress(glConfig: string | undefined, { references }: FileEnvironment): GatewayAddress {
  const bytes = Buffer.from(glConfig ?? '{}')
  const checked = checkGlConfig(bytes, references, { acceptMissing: true })
  const check =
    checked.kind === 'checked' ? checked : checkGlConfig(Buffer.from('{}'), references, { acceptMissing: true })
  if (check.kind !== 'checked') throw new Error('an empty gl_config.json is not valid')
  const { gl_port: port, admin_host, admin_port, tls, session_id_header: sessionHeader } = check.config.settings
  const host = ['0.0.0.0', '::', ''].includes(admin_host) ? '127.0.0.1' : admin_host
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    scheme: tls.ingress.enabled ? 'https' : 'http',
    port,
    admin: admin_port === 0 ? undefined : `http://${shown}:${admin_port}`,
    certificateFile: tls.ingress.enabled ? tls.ingress.certificate_file : undefined,
    sessionHeader,
  }
}

/** Asks the gateway's admin port for its state, without the entries of its routers. Never rejects. */
export async function fetchStatus(place: GatewayAddress): Promise<GatewayStatus> {
  return await fetchOwnStatus(place, 'status')
}

/** Asks the gateway's admin port for its state with the entries of all its routers. Never rejects. */
export async function fetchRouterStatus(place: GatewayAddress): Promise<GatewayStatus> {
  return await fetchOwnStatus(place, 'status?entries=1')
}

async function fetchOwnStatus({ admin }: GatewayAddress, path: string): Promise<GatewayStatus> {
  if (admin === undefined)
    return unreachable(
      'The gateway’s admin port is off (admin_port in gl_config.json), so the state of the gateway is not known.',
    )
  return await fetchStatusAt(admin, path, LIMITS)
}

/** Asks an admin port for its status; `path` is `status`, with or without a query. Never rejects. */
export async function fetchStatusAt(admin: string, path: string, limits: FetchLimits): Promise<GatewayStatus> {
  const text = await fetchText(`${admin}/${path}`, limits)
  if (text === undefined) return unreachable(`The gateway does not answer at ${admin}.`)
  try {
    return readStatus(Object(JSON.parse(text)))
  } catch {
    return unreachable(`The program that answers at ${admin} is not the gateway.`)
  }
}

function unreachable(message: string): GatewayStatus {
  return { state: { reachable: false, message }, entries: new Map() }
}

async function fetchText(url: string, limits: FetchLimits): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  const isWhole = await fetchPieces(url, limits, (piece) => parts.push(piece))
  return isWhole ? Buffer.concat(parts).toString() : undefined
}

/** A request for samples: the address, the wanted names and the function that takes them. */
export type SampleRequest = {
  readonly url: string
  readonly names: ReadonlySet<string>
  readonly take: (sample: Sample) => void
  readonly limits?: FetchLimits
}

/**
 * Passes on samples of an address as they arrive, without keeping the text: 5,000 routers make some 25 MB. Returns
 * false if the answer is missing or incomplete. Never rejects.
 */
export async function fetchSamples({ url, names, take, limits = LIMITS }: SampleRequest): Promise<boolean> {
  const decoder = new StringDecoder('utf8')
  const reader = sampleReader(names, take)
  const isWhole = await fetchPieces(url, limits, (piece) => reader.push(decoder.write(piece)))
  if (isWhole) reader.end()
  return isWhole
}

/** After this time the reading of an answer lets other work run. */
const TURN_MS = 5

async function fetchPieces(
  url: string,
  { timeoutMs, mostBytes }: FetchLimits,
  take: (piece: Uint8Array) => void,
): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
    if (!answer.ok || answer.body === null) return false
    let bytes = 0
    let began = performance.now()
    for await (const piece of answer.body) {
      bytes += piece.length
      if (bytes > mostBytes) return false
      take(piece)
      if (performance.now() - began < TURN_MS) continue
      await nextTurn()
      began = performance.now()
    }
    return true
  } catch {
    return false // An unreachable, slow or non-HTTP gateway counts as no answer.
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function readStatus(status: JsonObject): GatewayStatus {
  const { reload, routers, rejected_fields, records, entries, bus } = status
  const result = String(object(reload).result)
  const state: GatewayState = {
    reachable: true,
    version: String(status.version),
    digest: String(status.digest),
    reload: {
      result: result === 'failed' || result === 'waiting' ? result : 'ok',
      time: String(object(reload).time),
      reason: String(object(reload).reason ?? ''),
    },
    routers: {
      active: count(object(routers).active),
      rejected: count(object(routers).rejected),
      disabled: count(object(routers).disabled),
      internal: count(object(routers).internal),
    },
    rejected_fields: texts(rejected_fields),
    bus: bus === 'connected' ? 'connected' : 'disconnected',
    records: records === undefined ? null : readRecords(object(records)),
    // The overview fills in this count, which is a metric of the gateway.
    inflight_requests: null,
  }
  const { values_revision: revision } = status
  const delivered = typeof revision === 'string' ? { valuesRevision: revision } : {}
  return { state, entries: new Map(Object.entries(texts(entries))), ...delivered }
}

function readRecords({ stream, acknowledged, queued_bytes, spooled_bytes, lost }: JsonObject) {
  const reasons = Object.entries(object(lost)).map(([reason, number]) => [reason, count(number)] as const)
  return {
    stream: String(stream),
    acknowledged: count(acknowledged),
    queued_bytes: count(queued_bytes),
    spooled_bytes: count(spooled_bytes),
    lost: Object.fromEntries(reasons),
  }
}

function object(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(object(value)).map(([key, text]) => [key, String(text)]))
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
