import type { BusClient, StoreSize } from '@llm-gateway/sdk/bus-life'

export type GrowOptions = {
  readonly bus: Pick<BusClient, 'request'>
  /** That keeps the records. */
  readonly stream: string
  readonly size: StoreSize
}

/** Sizes in bytes. */
export type Grown =
  | { readonly kind: 'grown'; readonly from: number; readonly to: number }
  | { readonly kind: 'refused'; readonly code: string; readonly from: number; readonly to: number }
  /** It has what it may have, is not there, or has no bound. */
  | { readonly kind: 'left' }

type Fields = Readonly<Record<string, unknown>>

/** Of what other streams leave, as the gateway takes it when it makes the stream. */
const SHARE = 0.7
/** The gateway finds out what is left to a sixteenth; a smaller difference says nothing. */
const LEAST_GROWTH = 1.1
const TIMEOUT_MS = 5_000
const LEFT: Grown = { kind: 'left' }

/** Makes the stream of records as large as the bus's store now allows, never smaller. Never rejects. */
export async function growRecords({ bus, stream, size }: GrowOptions): Promise<Grown> {
  const ask = async (verb: 'INFO' | 'UPDATE', body?: Fields): Promise<Fields | string> => {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
    const outcome = await bus.request(`$JS.API.STREAM.${verb}.${stream}`, bytes, TIMEOUT_MS)
    return outcome.kind === 'reply' ? answerOf(outcome.bytes) : outcome.error.toUpperCase().replaceAll(' ', '_')
  }
  const found = await ask('INFO')
  // That it isn't there, or may not be asked for, is said by those who need it.
  if (typeof found === 'string') return LEFT
  const from = found.max_bytes
  if (typeof from !== 'number' || from <= 0 || found.storage !== 'file') return LEFT
  const to = Math.floor(SHARE * (size.maxBytes - size.reservedBytes + from))
  if (to < from * LEAST_GROWTH) return LEFT
  const changed = await ask('UPDATE', { ...found, max_bytes: to })
  return typeof changed === 'string' ? { kind: 'refused', code: changed, from, to } : { kind: 'grown', from, to }
}

/** The settings of the stream, or a code. */
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
