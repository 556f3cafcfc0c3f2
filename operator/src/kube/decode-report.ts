import { isObject, type KubeAnswer, listAt, numberAt, textAt } from '@llm-gateway/kube'
import type { OvertakenSink, PodRecords, PodReport } from '../model/snapshot.ts'

/** The most characters of a digest, a revision, a code or a hash; a gateway's have at most 71. */
const MAX_WORD = 128
/** The gateway names the first 1,000. */
const MAX_REJECTED = 1_000

/**
 * Decodes a pod's answer to `/status`. A pod may run any program, so an answer has any form and size, and only what has
 * the known form and length is kept. Nothing in the answer makes this function throw.
 */
export function decodeReport({ status, body }: KubeAnswer): PodReport {
  const digest = wordAt(body, 'digest')
  if (status !== 200 || digest === undefined) return { kind: 'unreachable' }
  return {
    kind: 'reported',
    digest,
    valuesRevision: wordAt(body, 'values_revision') ?? '0',
    busConnected: textAt(body, 'bus') === 'connected',
    ...recordsOf(body),
    entries: isObject(body) && isObject(body.entries) ? entriesOf(body.entries) : undefined,
    rejectedRouters: listAt(body, 'rejected_routers').slice(0, MAX_REJECTED).filter(isCount),
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
  const code = wordAt(body, 'records', 'stream_code')
  const { spooled_bytes: bytes } = body.records
  const spooledBytes = isCount(bytes) ? Math.floor(bytes / SPOOL_STEP) * SPOOL_STEP : 0
  const overtaken = overtakenIn(body.records.overtaken)
  const more = overtaken.length === 0 ? {} : { overtaken }
  return { records: { stream, ...(code === undefined ? {} : { code }), spooledBytes, ...more } }
}

/** Returns overtaken sinks, sorted by name. Entries of another form are left out. */
function overtakenIn(value: unknown): readonly OvertakenSink[] {
  const sinks = Object.entries(isObject(value) ? value : {}).flatMap(([sink, note]): readonly OvertakenSink[] => {
    const [, seconds] = SECONDS.exec(textAt(note, 'since') ?? '') ?? []
    const records = numberAt(note, 'records')
    return !SINK.test(sink) || seconds === undefined || !isCount(records)
      ? []
      : [{ sink, records, since: `${seconds}Z` }]
  })
  return sinks.slice(0, MAX_SINKS).toSorted((one, other) => (one.sink < other.sink ? -1 : 1))
}

/** Keeps the hashes. An entry of another form is left out, as if the pod didn't have that router. */
function entriesOf(entries: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>()
  for (const [path, hash] of Object.entries(entries)) if (isWord(hash)) hashes.set(path, hash)
  return hashes
}

function wordAt(value: unknown, ...path: readonly string[]): string | undefined {
  const word = textAt(value, ...path)
  return isWord(word) ? word : undefined
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_WORD
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
