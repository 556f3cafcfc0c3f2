import type { Server } from 'node:http'

/**
 * Returns the sockets whose parser is within a request, or waits for its first one. Only node's own list of parsers
 * tells a connection with a part of a head from an idle one.
 */
export function* unfinishedRequests(server: Server): Generator<object> {
  for (const symbol of Object.getOwnPropertySymbols(server)) {
    if (symbol.description !== 'http.server.connections') continue
    const list: unknown = Reflect.get(server, symbol)
    for (const parser of activeParsers(list)) {
      const socket: unknown = typeof parser === 'object' && parser !== null ? Reflect.get(parser, 'socket') : undefined
      if (typeof socket === 'object' && socket !== null) yield socket
    }
  }
}

function activeParsers(list: unknown): readonly unknown[] {
  const active: unknown = typeof list === 'object' && list !== null ? Reflect.get(list, 'active') : undefined
  const parsers: unknown = typeof active === 'function' ? active.call(list) : undefined
  return Array.isArray(parsers) ? parsers : []
}
