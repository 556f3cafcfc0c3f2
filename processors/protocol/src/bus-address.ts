export type BusAddress = { readonly hostname: string; readonly port: number }

const DEFAULT_PORT = 4222
const MAX_PORT = 65_535
const ADDRESS = /^(?:\[(?<v6>[0-9A-Fa-f:.]+)\]|(?<host>[A-Za-z0-9_](?:[A-Za-z0-9._-]*)))(?::(?<port>[0-9]{1,5}))?$/

/**
 * Reads `host`, `host:port`, `[v6]` or `[v6]:port`; port 4222 where none is named (wire, 6).
 * Anything else is undefined: user-info too, so that a token can't hide in an address that gets logged (wire, 1.1).
 */
export function parseBusAddress(text: string): BusAddress | undefined {
  const groups = ADDRESS.exec(text.trim())?.groups
  const hostname = groups?.v6 ?? groups?.host
  if (hostname === undefined) return undefined
  const port = groups?.port === undefined ? DEFAULT_PORT : Number(groups.port)
  return port >= 1 && port <= MAX_PORT ? { hostname, port } : undefined
}
