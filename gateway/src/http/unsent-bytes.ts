import type { Socket } from 'node:net'

/**
 * Bytes of a connection that the operating system has not taken yet; between two looks without a write it can only
 * shrink. Of one large write `writableLength` tells nothing until all of it has left: only node's handle knows.
 */
export function unsentBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const queued: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : undefined
  return socket.writableLength + (typeof queued === 'number' ? queued : 0)
}
