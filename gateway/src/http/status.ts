/** What the gateway says of itself at `/status` (wire, 1.1); never a value of a reference. */
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
  /** Configuration path -> reason; the first 16 are shown. */
  readonly rejected_fields: Readonly<Record<string, string>>
  readonly bus: 'connected' | 'disconnected'
}

const MOST_REJECTED_FIELDS = 16

/** @param entries router path -> hash of its entry, in the order in which they are shown */
export function statusJson(status: Status, entries?: ReadonlyMap<string, string>): string {
  const shown = {
    version: status.version,
    digest: status.digest,
    values_revision: status.values_revision,
    reload: status.reload,
    routers: status.routers,
    rejected_fields: Object.fromEntries(Object.entries(status.rejected_fields).slice(0, MOST_REJECTED_FIELDS)),
    bus: status.bus,
  }
  return JSON.stringify(entries === undefined ? shown : { ...shown, entries: Object.fromEntries(entries) })
}
