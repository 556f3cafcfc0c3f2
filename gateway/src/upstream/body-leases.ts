import type { Socket } from 'node:net'
import type { LeasedMemory } from '../memory/leased-memory.ts'

type Written = (error?: Error | null) => void

/**
 * Holds a lease of a body's memory during each write. undici reports when it hands a body to the connection, but the
 * connection may read the bytes long after: an LLM API can answer before it has read the body. A repeated body is
 * written twice, with two leases.
 */
export class BodyLeases {
  readonly #memoryOfBody = new WeakMap<ArrayBufferLike, LeasedMemory>()

  expect(body: Buffer, memory: LeasedMemory): void {
    this.#memoryOfBody.set(body.buffer, memory)
  }

  /** Follows undici's writes to a connection: strings, and each body in one piece. */
  track(socket: Socket): Socket {
    const write = socket.write.bind(socket)
    socket.write = (chunk: Uint8Array | string, second?: BufferEncoding | Written, third?: Written): boolean => {
      const [encoding, written] = typeof second === 'function' ? [undefined, second] : [second, third]
      const memory = typeof chunk === 'string' ? undefined : this.#memoryOfBody.get(chunk.buffer)
      if (memory === undefined) return write(chunk, encoding, written)
      const lease = memory.lease()
      return write(chunk, encoding, (error) => {
        written?.(error)
        // A connection that broke may still be reading the bytes.
        if (error) lease.forfeit()
        else lease.end()
      })
    }
    return socket
  }
}
