import type { Socket } from 'node:net'

/**
 * Stops the handle of a socket at once. A pause of the stream alone stops it only once the stream is full, and not at all
 * where node's HTTP parser reads the handle. The socket's next `resume` starts the handle again.
 */
export function stopReading(socket: Socket): void {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (typeof handle !== 'object' || handle === null) return
  const readStop: unknown = Reflect.get(handle, 'readStop')
  if (typeof readStop === 'function') readStop.call(handle)
  Reflect.set(handle, 'reading', false)
}

/**
 * Makes pauses last. A stream emits 'resume' a tick after `resume()`, even if it was paused again meanwhile, and node's
 * HTTP server then starts the handle: it would read on while the stream counts as paused, and no later pause would stop
 * it. Node's server also resumes on its own account. To be called once node's server has the socket, since its listener
 * comes first.
 */
export function keepPauses(socket: Socket, mustPause: () => boolean): void {
  socket.on('resume', () => {
    if (mustPause()) socket.pause()
    if (socket.isPaused()) stopReading(socket)
  })
}
