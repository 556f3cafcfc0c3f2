import { parseBusAddress } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import { bytesOf } from '../objects/quantity.ts'
import { maskedHeaders } from './gateway-settings.ts'

type Rule = (gateway: LlmGateway) => string | undefined

const RULES: readonly Rule[] = [busAddress, freeSessionHeader, visibleSessionHeader, spoolSize, busSize]

/** Returns the faults that the schema can't express, such as `session.header: …`. */
export function invalidParameters(gateway: LlmGateway): readonly string[] {
  return RULES.flatMap((rule) => rule(gateway) ?? [])
}

/** The gateway refuses a file with any other address. */
function busAddress({ spec }: LlmGateway): string | undefined {
  const server = spec.bus.servers?.[0]
  const isAddress = server === undefined || parseBusAddress(server) !== undefined
  return isAddress ? undefined : `bus.servers: ${server} is not an address of a bus`
}

function spoolSize({ spec: { record } }: LlmGateway): string | undefined {
  const { size } = record.spool
  const bytes = bytesOf(size)
  return bytes > 0 && Number.isSafeInteger(bytes) ? undefined : `record.spool.size: ${size} is not a usable size`
}

/** In less room the bus makes no streams: it would run, and keep no record. */
const LEAST_BUS_BYTES = 16 * 1024 * 1024

/** The bus's program ends where a size overflows its integers, and the size of a claim can't be changed later. */
function busSize({ spec: { bus } }: LlmGateway): string | undefined {
  if (bus.type === 'External') return undefined
  const { claim, emptyDir } = bus.managed.storage
  const [field, size = ''] = claim === undefined ? ['emptyDir', emptyDir] : ['claim.size', claim.size]
  const bytes = bytesOf(size)
  const isUsable = bytes >= LEAST_BUS_BYTES && Number.isSafeInteger(bytes)
  return isUsable ? undefined : `bus.managed.storage.${field}: ${size} is not a usable size`
}

/** Headers that say how to read a message. A session id in one of them would break every answer. */
const TAKEN: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function freeSessionHeader({ spec: { session } }: LlmGateway): string | undefined {
  const name = session.header.toLowerCase()
  return TAKEN.has(name) || name.startsWith('content-')
    ? `session.header: ${session.header} is reserved by HTTP`
    : undefined
}

/** No record would show a masked session id. */
function visibleSessionHeader(gateway: LlmGateway): string | undefined {
  const { header } = gateway.spec.session
  const isMasked = maskedHeaders(gateway).some((name) => name.toLowerCase() === header.toLowerCase())
  return isMasked ? `session.header: ${header} is a masked header` : undefined
}
