import type { Socket } from 'node:net'

/** Looks within the time a reader has: without progress in the last of them and in the one before, it has stalled. */
const looks = 2

/**
 * Calls `giveUp` once a reader has taken nothing for `timeoutMs`, or at most half as long again; any byte is progress.
 * Nothing may be written meanwhile. `clearInterval` stops it.
 */
export function watchStall(socket: Socket, timeoutMs: number, giveUp: () => void): NodeJS.Timeout {
  let unsent = unsentBytes(socket)
  let left = looks
  const timer = setInterval(() => {
    const before = unsent
    unsent = unsentBytes(socket)
    left = unsent === before ? left - 1 : looks
    if (left > 0) return
    clearInterval(timer)
    giveUp()
  }, timeoutMs / looks)
  return timer
}

/**
 * Bytes of a connection that the operating system has not taken yet; between two looks without a write it can only
 * shrink. Of one large write `writableLength` tells nothing until all of it has left: only node's handle knows.
 */
function unsentBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const queued: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : undefined
  return socket.writableLength + (typeof queued === 'number' ? queued : 0)
}
