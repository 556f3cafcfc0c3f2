import type { Socket } from 'node:net'

/**
 * Returns the error of a new connection that can't carry a request, undefined where the connection is usable. undici
 * itself would open further connections again and again, since undici fails no call whose request hasn't begun. A
 * usable connection gets its request in the same task, so that the call fails where the connection breaks later.
 */
export function errorOfFresh(socket: Socket): NodeJS.ErrnoException | undefined {
  // undici closes a connection that has bytes before the first request.
  if (socket.readableLength > 0) return coded('UPSTREAM_PROTOCOL')
  if (socket.destroyed || socket.readableEnded || !socket.writable) return coded('ECONNRESET')
  return undefined
}

function coded(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error('a new connection is unusable'), { code })
}
