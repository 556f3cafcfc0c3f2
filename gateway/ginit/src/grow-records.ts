import type { BusClient, StoreSize } from '@llm-gateway/sdk/bus-liveness'

export type GrowOptions = {
  readonly bus: Pick<BusClient, 'request'>
  /** The name of the stream that stores the records. */
  readonly stream: string
  readonly size: StoreSize
}

/** The outcome; sizes in bytes. */
export type GrowOutcome =
  | { readonly kind: 'grown'; readonly from: number; readonly to: number }
  | { readonly kind: 'refused'; readonly code: string; readonly from: number; readonly to: number }
  /** The stream already has its share, is missing, or has no size limit. */
  | { readonly kind: 'unchanged' }

type Fields = Readonly<Record<string, unknown>>

/** The stream's share of the store that other streams leave free, the same as the gateway's. */
const SHARE = 0.7
/** The least factor of a change, since the gateway finds the size of the free store only to a sixteenth. */
const LEAST_GROWTH = 1.1
const TIMEOUT_MS = 5_000
const UNCHANGED: GrowOutcome = { kind: 'unchanged' }

/** Enlarges the stream of records to its share of the bus's store, never reduces it. Never rejects. */
export async function growRecords({ bus, stream, size }: GrowOptions): Promise<GrowOutcome> {
  const ask = async (verb: 'INFO' | 'UPDATE', body?: Fields): Promise<Fields | string> => {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
    const outcome = await bus.request(`$JS.API.STREAM.${verb}.${stream}`, bytes, TIMEOUT_MS)
    return outcome.kind === 'reply' ? answerOf(outcome.bytes) : outcome.error.toUpperCase().replaceAll(' ', '_')
  }
  const found = await ask('INFO')
  // The gateway and the sinks report a missing or forbidden stream.
  if (typeof found === 'string') return UNCHANGED
  const from = found.max_bytes
  if (typeof from !== 'number' || from <= 0 || found.storage !== 'file') return UNCHANGED
  const to = Math.floor(SHARE * (size.maxBytes - size.reservedBytes + from))
  if (to < from * LEAST_GROWTH) return UNCHANGED
  const changed = await ask('UPDATE', { ...found, max_bytes: to })
  return typeof changed === 'string' ? { kind: 'refused', code: changed, from, to } : { kind: 'grown', from, to }
}

/** Returns the settings of the stream, or an error code. */
function answerOf(bytes: Uint8Array): Fields | string {
  try {
    const { config, error } = fieldsOf(JSON.parse(Buffer.from(bytes).toString())) ?? {}
    const code = fieldsOf(error)?.err_code
    if (error !== undefined) return typeof code === 'number' ? `STORE_${code}` : 'ODD_ANSWER'
    return fieldsOf(config) ?? 'ODD_ANSWER'
  } catch (cause) {
    if (cause instanceof SyntaxError) return 'ODD_ANSWER'
    throw cause
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined
}
