import {
  isObject,
  type KubeAnswer,
  listAt,
  numberAt,
  objectPath,
  type Transport,
  TransportError,
  textAt,
} from '@llm-gateway/kube'
import { ADMIN_PORT } from '../model/names.ts'
import type { OvertakenSink, PodRecords, PodReport } from '../model/snapshot.ts'
import type { Pod } from './decode.ts'

/** The way to pods: their own address inside the cluster, the API server outside. */
export type PodAccess = 'direct' | 'proxy'

export type AskPod = (pod: Pod, options: { readonly entries: boolean }) => Promise<PodReport>

/** A pod answers in milliseconds. A lost pod must not occupy one of the few concurrent requests. */
const TIMEOUT_MS = 1_000
/** Room for a few facts and the first 16 rejected fields. */
const MAX_STATUS_BYTES = 128 * 1024
/** Room for a line of each of 10,000 routers. Parsing more would block the main thread. */
const MAX_ENTRIES_BYTES = 4 * 1024 * 1024

/** Asks a gateway pod for its `/status` (docs/reference/configuration-rules.md#status). The promise never rejects. */
export function createAskPod(transport: Transport, access: PodAccess): AskPod {
  return async (pod, { entries }) => {
    const path = `status${entries ? '?entries=1' : ''}`
    const limits = { timeoutMs: TIMEOUT_MS, mostBytes: entries ? MAX_ENTRIES_BYTES : MAX_STATUS_BYTES }
    const ask = access === 'direct' ? direct : askThroughProxy
    try {
      return reportOf(await ask(transport, { pod, path, limits }))
    } catch (error) {
      if (error instanceof TransportError) return { kind: 'unreachable' }
      throw error
    }
  }
}

type Ask = {
  readonly pod: Pod
  readonly path: string
  readonly limits: { readonly timeoutMs: number; readonly mostBytes: number }
}

function direct(transport: Transport, { pod: { address }, path, limits }: Ask): Promise<KubeAnswer> {
  const host = address.includes(':') ? `[${address}]` : address
  return transport.get(`http://${host}:${ADMIN_PORT}/${path}`, limits)
}

function askThroughProxy(transport: Transport, { pod: { metadata }, path, limits }: Ask): Promise<KubeAnswer> {
  const { namespace, name } = metadata
  const proxy = objectPath({ kind: 'Pod', namespace, name: `${name}:${ADMIN_PORT}` })
  return transport.request({ method: 'GET', path: `${proxy}/proxy/${path}`, ...limits })
}

function reportOf({ status, body }: KubeAnswer): PodReport {
  const digest = textAt(body, 'digest')
  if (status !== 200 || digest === undefined) return { kind: 'unreachable' }
  return {
    kind: 'reported',
    digest,
    valuesRevision: textAt(body, 'values_revision') ?? '0',
    busConnected: textAt(body, 'bus') === 'connected',
    ...recordsOf(body),
    entries: isObject(body) && isObject(body.entries) ? entriesOf(body.entries) : undefined,
    rejectedRouters: listAt(body, 'rejected_routers').filter((index) => typeof index === 'number'),
    reloadFailed: textAt(body, 'reload', 'result') === 'failed',
  }
}

const STREAMS: readonly PodRecords['stream'][] = ['unknown', 'on', 'off', 'missing', 'failing']
const SPOOL_STEP = 64 * 1024 * 1024
const MAX_SINKS = 16
const SINK = /^[a-z0-9]{1,32}$/
const SECONDS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z$/

function recordsOf(body: unknown): { readonly records?: PodRecords } {
  const stream = STREAMS.find((state) => state === textAt(body, 'records', 'stream'))
  if (stream === undefined || !isObject(body) || !isObject(body.records)) return {}
  const code = textAt(body, 'records', 'stream_code')
  const { spooled_bytes: bytes } = body.records
  const spooledBytes = typeof bytes === 'number' ? Math.floor(bytes / SPOOL_STEP) * SPOOL_STEP : 0
  const overtaken = overtakenIn(body.records.overtaken)
  const more = overtaken.length === 0 ? {} : { overtaken }
  return { records: { stream, ...(code === undefined ? {} : { code }), spooledBytes, ...more } }
}

/** Returns overtaken sinks, sorted by name. Entries of another form are left out. */
function overtakenIn(value: unknown): readonly OvertakenSink[] {
  const sinks = Object.entries(isObject(value) ? value : {}).flatMap(([sink, note]): readonly OvertakenSink[] => {
    const [, seconds] = SECONDS.exec(textAt(note, 'since') ?? '') ?? []
    const records = numberAt(note, 'records')
    return !SINK.test(sink) || seconds === undefined || records === undefined
      ? []
      : [{ sink, records, since: `${seconds}Z` }]
  })
  return sinks.slice(0, MAX_SINKS).toSorted((one, other) => (one.sink < other.sink ? -1 : 1))
}

function entriesOf(entries: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(entries).map(([path, hash]): [string, string] => [path, String(hash)]))
}
