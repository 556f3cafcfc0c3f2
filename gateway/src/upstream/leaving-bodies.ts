import type { Socket } from 'node:net'

type Written = (error?: Error | null) => void

/**
 * Tells when the bytes of a request's body have left. undici tells when it handed them to the connection, which may go on
 * reading them long after: an LLM API can answer before it has taken a body.
 */
export class LeavingBodies {
  readonly #left = new WeakMap<ArrayBufferLike, () => void>()

  /** `left` is called after the operating system took the body's last byte; never where the connection breaks before. */
  expect(body: Buffer, left: () => void): void {
    this.#left.set(body.buffer, left)
  }

  /** Follows what undici writes to a connection from now on: strings, and each body in one piece. */
  follow(socket: Socket): Socket {
    const write = socket.write.bind(socket)
    socket.write = (chunk: Uint8Array | string, second?: BufferEncoding | Written, third?: Written): boolean => {
      if (typeof second === 'function') return write(chunk, undefined, second)
      const left = typeof chunk === 'string' ? undefined : this.#left.get(chunk.buffer)
      if (left === undefined) return write(chunk, second, third)
      return write(chunk, second, (error) => {
        third?.(error)
        if (!error) left()
      })
    }
    return socket
  }
}
