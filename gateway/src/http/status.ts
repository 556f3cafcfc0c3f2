import { TextPieces } from '../work/text-pieces.ts'
import type { WorkQueue } from '../work/work-queue.ts'

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
  /** The indexes of rejected routers in the file; the answer shows the first 1,000. */
  readonly rejected_routers: readonly number[]
  readonly bus: 'connected' | 'disconnected'
  /** The state of the records (docs/reference/kept-records.md#status); undefined where the gateway makes none. */
  readonly records?: object | undefined
}

const MAX_REJECTED_FIELDS = 16
const MAX_REJECTED_ROUTERS = 1_000

/** Returns the status as JSON. */
export function statusText(status: Status): string {
  return `${statusJson(status)}\n`
}

/**
 * Returns the status with its entries as JSON in pieces; works in slices.
 *
 * @param entries router path -> hash of its entry, in the order in which they are shown
 */
export async function statusPieces(
  status: Status,
  entries: ReadonlyMap<string, string>,
  work: WorkQueue,
): Promise<readonly Buffer[]> {
  const text = new TextPieces(work.begin('status'))
  text.add(`${statusJson(status).slice(0, -1)},"entries":{`)
  let comma = ''
  for (const [path, hash] of entries) {
    if (text.add(`${comma}${JSON.stringify(path)}:"${hash}"`)) await text.pause()
    comma = ','
  }
  text.add('}}\n')
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
    rejected_routers: status.rejected_routers.slice(0, MAX_REJECTED_ROUTERS),
    bus: status.bus,
    records: status.records,
  })
}
