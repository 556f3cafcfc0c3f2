import { createHttpTarget } from './http-target.ts'
import type { Trust } from './outbound-tls.ts'
import { postRecord } from './post-record.ts'
import { DELIVERED, type Writer } from './writer.ts'

export type RestTarget = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly tls: Trust
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Records on their way at the same time; they start in order, the target may see them in another. */
const CONCURRENCY = 8

/** Posts each record on its own (wire, 1.2); any 2xx is a delivery. */
export function createRestWriter({ url, headers: configured, tls, now }: RestTarget): Writer {
  const headers = headerList(configured)
  const target = createHttpTarget({ tls, connections: CONCURRENCY, now })
  return {
    batch: { records: 1, bytes: 0 },
    concurrency: CONCURRENCY,
    open: async () => undefined,
    write: async ([record]) => (record === undefined ? DELIVERED : await postRecord(record, { url, headers, target })),
    close: target.close,
  }
}

/** The configured headers, JSON's type where they name none. */
function headerList(configured: RestTarget['headers']): Record<string, string | string[]> {
  const named = Object.entries(configured).map(([name, values]) => {
    return [name, typeof values === 'string' ? values : [...values]] as const
  })
  const typed = named.some(([name]) => name.toLowerCase() === 'content-type')
  return { ...(typed ? {} : { 'Content-Type': 'application/json' }), ...Object.fromEntries(named) }
}
