import type { Socket } from 'node:net'

/**
 * Stops the handle of a socket at once. A pause of the stream alone stops it only once the stream is full, and not at all
 * where node's HTTP parser reads the handle. The socket's next `resume` starts the handle again.
 */
export function stopReading(socket: Socket): void {
  setReading(socket, 'readStop', false)
}

/** Starts the handle of a socket that `stopReading` stopped, where the socket itself isn't read but a layer above it. */
export function startReading(socket: Socket): void {
  setReading(socket, 'readStart', true)
}

/** Returns true while the handle of a socket is read. */
export function isReading(socket: Socket): boolean {
  const handle: unknown = Reflect.get(socket, '_handle')
  return typeof handle === 'object' && handle !== null && Reflect.get(handle, 'reading') === true
}

/** Returns true once the peer's end has arrived, although bytes before it may still be unread. */
export function hasEnded(socket: Socket): boolean {
  const state: unknown = Reflect.get(socket, '_readableState')
  return typeof state === 'object' && state !== null && Reflect.get(state, 'ended') === true
}

function setReading(socket: Socket, name: 'readStart' | 'readStop', reading: boolean): void {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (typeof handle !== 'object' || handle === null) return
  const method: unknown = Reflect.get(handle, name)
  if (typeof method === 'function') method.call(handle)
  Reflect.set(handle, 'reading', reading)
}

/**
 * Makes pauses last. A stream emits 'resume' a tick after `resume()`, even if it was paused again meanwhile, and node's
 * HTTP server then starts the handle: the handle would read on while the stream counts as paused, and no later pause
 * would stop the handle. Node's server also resumes on its own account. To be called once node's server has the socket,
 * since its listener comes first.
 */
export function keepPauses(socket: Socket, mustPause: () => boolean): void {
  socket.on('resume', () => {
    if (mustPause()) socket.pause()
    if (socket.isPaused()) stopReading(socket)
  })
}

/**
 * Makes the handle of a socket follow the pauses of its stream. Node's HTTP server does so until a CONNECT; after it the
 * stream, which waits for bytes already, would not start a handle that was stopped.
 */
export function followPauses(socket: Socket): void {
  socket.on('pause', () => stopReading(socket))
  socket.on('resume', () => {
    if (!socket.isPaused() && !isReading(socket)) startReading(socket)
  })
}

/** Returned by `onIncoming`, this number makes node's parser skip the rest of a segment. */
const NO_FURTHER_MESSAGE = 2

/**
 * Makes node's parser skip all bytes behind the next head, unanswered. The parser goes on to the end of a segment even
 * after its socket was destroyed, and a segment of 64 KiB may hold 3,000 requests.
 */
export function stopParsing(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser')
  if (typeof parser === 'object' && parser !== null) Reflect.set(parser, 'onIncoming', () => NO_FURTHER_MESSAGE)
}
