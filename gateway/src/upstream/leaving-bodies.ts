import type { Socket } from 'node:net'
import type { LeasedMemory } from '../memory/leased-memory.ts'

type Written = (error?: Error | null) => void

/**
 * Holds a lease of a body's memory for each write of it. undici tells when it handed a body to the connection, which may go
 * on reading it long after: an LLM API can answer before it has taken a body. A body that is sent twice is written twice.
 */
export class LeavingBodies {
  readonly #memories = new WeakMap<ArrayBufferLike, LeasedMemory>()

  expect(body: Buffer, memory: LeasedMemory): void {
    this.#memories.set(body.buffer, memory)
  }

  /** Follows what undici writes to a connection from now on: strings, and each body in one piece. */
  follow(socket: Socket): Socket {
    const write = socket.write.bind(socket)
    socket.write = (chunk: Uint8Array | string, second?: BufferEncoding | Written, third?: Written): boolean => {
      const [encoding, written] = typeof second === 'function' ? [undefined, second] : [second, third]
      const memory = typeof chunk === 'string' ? undefined : this.#memories.get(chunk.buffer)
      if (memory === undefined) return write(chunk, encoding, written)
      const lease = memory.lease()
      return write(chunk, encoding, (error) => {
        written?.(error)
        // A connection that broke may not be done with the bytes yet.
        if (error) lease.forfeit()
        else lease.end()
      })
    }
    return socket
  }
}
