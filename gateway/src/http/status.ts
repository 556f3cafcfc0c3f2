import { TextPieces } from '../work/text-pieces.ts'
import { WorkQueue } from '../work/work-queue.ts'

/** The answer of `/status` (docs/reference/configuration-rules.md#status), without any value of a reference. */
export type Status = {
  readonly version: string
  readonly digest: string
  readonly values_revision: string | undefined
  readonly reload: {
    readonly result: 'ok' | 'failed' | 'waiting'
    /** RFC 3339 */
    readonly time: string
    readonly reason: string
  }
  readonly routers: {
    readonly active: number
    readonly rejected: number
    readonly disabled: number
    readonly internal: number
  }
  /** Configuration path -> reason; the answer shows the first 16. */
  readonly rejected_fields: Readonly<Record<string, string>>
  readonly bus: 'connected' | 'disconnected'
  /** The state of the records (docs/reference/kept-records.md#status); undefined where the gateway makes none. */
  readonly records?: object | undefined
}

const MAX_REJECTED_FIELDS = 16

/**
 * Returns the status as JSON in pieces; works in slices.
 *
 * @param entries router path -> hash of its entry, in the order in which they are shown
 */
export async function statusPieces(
  status: Status,
  entries?: ReadonlyMap<string, string>,
  work = new WorkQueue(),
): Promise<readonly Buffer[]> {
  const text = new TextPieces(work.begin())
  const json = statusJson(status)
  if (entries === undefined) text.add(json)
  else {
    text.add(`${json.slice(0, -1)},"entries":{`)
    let comma = ''
    for (const [path, hash] of entries) {
      if (text.add(`${comma}${JSON.stringify(path)}:"${hash}"`)) await text.pause()
      comma = ','
    }
    text.add('}}')
  }
  text.add('\n')
  return text.end()
}

function statusJson(status: Status): string {
  const rejected = Object.entries(status.rejected_fields).slice(0, MAX_REJECTED_FIELDS)
  return JSON.stringify({
    version: status.version,
    digest: status.digest,
    values_revision: status.values_revision,
    reload: status.reload,
    routers: status.routers,
    rejected_fields: Object.fromEntries(rejected),
    bus: status.bus,
    records: status.records,
  })
}
