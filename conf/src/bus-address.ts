import { isIPv6 } from 'node:net'

export type BusAddress = { readonly hostname: string; readonly port: number }

const DEFAULT_PORT = 4222
const MAX_PORT = 65_535
/** The form alone: it leaves ports above 65,535 and addresses such as `[1]` to parseBusAddress. */
export const BUS_ADDRESS =
  /^(?:\[(?<v6>[0-9A-Fa-f:.]+)\]|(?<host>[A-Za-z0-9_][A-Za-z0-9._-]*))(?::(?<port>[0-9]{1,5}))?$/

/**
 * Reads `host`, `host:port`, `[v6]` or `[v6]:port`; the default port is 4222. Any other text is undefined. User-info is
 * refused, because the address is logged and must not hold a token.
 */
export function parseBusAddress(text: string): BusAddress | undefined {
  const groups = BUS_ADDRESS.exec(text.trim())?.groups
  const hostname = groups?.v6 ?? groups?.host
  if (hostname === undefined || (groups?.v6 !== undefined && !isIPv6(hostname))) return undefined
  const port = groups?.port === undefined ? DEFAULT_PORT : Number(groups.port)
  return port >= 1 && port <= MAX_PORT ? { hostname, port } : undefined
}
