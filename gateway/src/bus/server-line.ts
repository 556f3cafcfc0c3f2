import type { BusErrorCode } from './bus-error-code.ts'

/** The INFO of a bus, sent at the start and at each change. */
export type ServerInfo = {
  readonly maxPayload: number | undefined
  readonly headers: boolean
  /** True where the server requires or offers TLS. */
  readonly tls: boolean
  /** The number of the cluster's servers that clients can reach; 1 without a cluster. */
  readonly servers: number
  /** True where the server has its own JetStream. */
  readonly jetStream: boolean
}

export type ServerLine =
  | { readonly kind: 'info'; readonly info: ServerInfo }
  | { readonly kind: 'ping' | 'pong' | 'ok' }
  /** A subject isn't allowed; the connection stays open. */
  | { readonly kind: 'refused subject'; readonly operation: string; readonly subject: string }
  | { readonly kind: 'error'; readonly code: BusErrorCode }

const PERMISSIONS = /^-ERR 'Permissions Violation for (publish|subscription) to "([^"]{0,256})/i
const ERRORS: readonly (readonly [RegExp, BusErrorCode])[] = [
  [/^-ERR '(authorization|authentication|user authentication|account authentication)/i, 'BUS_UNAUTHORIZED'],
  [/^-ERR 'maximum payload/i, 'BUS_MAX_PAYLOAD'],
  [/^-ERR 'secure connection/i, 'BUS_TLS'],
  [/^-ERR 'stale connection/i, 'BUS_STALE'],
]

/** Reads a line of the NATS client protocol other than a message. */
export function readServerLine(line: string): ServerLine {
  if (/^PONG\s*$/i.test(line)) return { kind: 'pong' }
  if (/^PING\s*$/i.test(line)) return { kind: 'ping' }
  if (/^INFO\s/i.test(line)) return readInfo(line.slice('INFO '.length))
  if (/^\+OK/i.test(line)) return { kind: 'ok' }
  const [, operation = '', subject] = PERMISSIONS.exec(line) ?? []
  if (subject !== undefined) return { kind: 'refused subject', operation: operation.toLowerCase(), subject }
  return { kind: 'error', code: ERRORS.find(([pattern]) => pattern.test(line))?.[1] ?? 'BUS_FAILED' }
}

function readInfo(text: string): ServerLine {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return { kind: 'error', code: 'BUS_FAILED' }
    const fields = new Map<string, unknown>(Object.entries(parsed))
    const maxPayload = fields.get('max_payload')
    const info = {
      maxPayload: typeof maxPayload === 'number' && maxPayload > 0 ? maxPayload : undefined,
      headers: fields.get('headers') === true,
      tls: fields.get('tls_required') === true || fields.get('tls_available') === true,
      servers: fields.has('cluster') ? lengthOf(fields.get('connect_urls')) : 1,
      jetStream: fields.get('jetstream') === true,
    }
    return { kind: 'info', info }
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'error', code: 'BUS_FAILED' }
    throw error
  }
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? Math.max(1, value.length) : 1
}
