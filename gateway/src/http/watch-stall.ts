import type { Socket } from 'node:net'

/** The number of checks within the timeout: a reader without progress in two checks in a row has stalled. */
const checks = 2

/**
 * Calls `giveUp` once a reader has taken no byte for `timeoutMs`, at most half as long again. Nothing may be written
 * meanwhile. `clearInterval` stops the watch.
 */
export function watchStall(socket: Socket, timeoutMs: number, giveUp: () => void): NodeJS.Timeout {
  let unsent = unsentBytes(socket)
  let left = checks
  const timer = setInterval(() => {
    const before = unsent
    unsent = unsentBytes(socket)
    left = unsent === before ? left - 1 : checks
    if (left > 0) return
    clearInterval(timer)
    giveUp()
  }, timeoutMs / checks)
  return timer
}

/**
 * Returns the bytes that the operating system hasn't taken yet; without writes the number can only shrink. For one
 * large write `writableLength` doesn't change until all of it has left, so that node's handle is asked too.
 */
function unsentBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const queued: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : undefined
  return socket.writableLength + (typeof queued === 'number' ? queued : 0)
}
