import { Socket } from 'node:net'
import { startReading, stopReading } from './stop-reading.ts'

/** The most bytes that a first read takes of a connection. */
export const FIRST_READ_BYTES = 4 * 1024

/** The symbols under which node:net keeps a socket's own buffer and the function that gets its bytes. */
type BufferSymbols = { readonly buffer: symbol; readonly callback: symbol }

/**
 * Reads the first bytes of accepted connections, at most `FIRST_READ_BYTES` of each. A usual read of a socket takes all
 * that has arrived, up to 64 KiB, in memory of its own: the first reads of 2,000 connections with as many bytes took
 * 130 MB and half of their turns. The rest stays in the system's buffers until node's parser reads it.
 */
export class FirstReads {
  /** The buffer of all first reads, since each read is copied at once. */
  readonly #buffer = Buffer.allocUnsafeSlow(FIRST_READ_BYTES)
  readonly #symbols = findSymbols()

  /** Reads a socket once, unless `end` comes before; `onBytes` gets its bytes in a later turn. */
  read(socket: Socket, onBytes: (bytes: Buffer) => void): void {
    const { buffer, callback } = this.#symbols
    const isPrepared = Reflect.get(socket, buffer) === this.#buffer
    Reflect.set(socket, callback, (length: number, read: Buffer): boolean => {
      onBytes(copyOf(read, length))
      return false
    })
    if (!isPrepared) this.#prepare(socket)
    startReading(socket)
  }

  /** From here on the stream gets the bytes, where node's parser doesn't read the handle itself: behind a CONNECT. */
  end(socket: Socket): void {
    stopReading(socket)
    Reflect.set(socket, this.#symbols.callback, pushBytes)
  }

  #prepare(socket: Socket): void {
    const handle: unknown = Reflect.get(socket, '_handle')
    if (typeof handle !== 'object' || handle === null) return
    Reflect.set(socket, this.#symbols.buffer, this.#buffer)
    const useUserBuffer: unknown = Reflect.get(handle, 'useUserBuffer')
    if (typeof useUserBuffer !== 'function') throw new Error('a socket of this Node takes no buffer')
    useUserBuffer.call(handle, this.#buffer)
  }
}

/** node:net calls it as a method of the socket. */
function pushBytes(this: Socket, length: number, read: Buffer): boolean {
  return this.push(copyOf(read, length))
}

/** `Buffer.from` takes five times as long. */
function copyOf(read: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafe(length)
  read.copy(copy, 0, 0, length)
  return copy
}

/** node:net takes a buffer only from its own constructor, and its server gives none. */
function findSymbols(): BufferSymbols {
  const symbols = Object.getOwnPropertySymbols(new Socket())
  const find = (name: string): symbol => {
    const found = symbols.find(({ description }) => description === name)
    if (found === undefined) throw new Error(`a socket of this Node has no ${name}`)
    return found
  }
  return { buffer: find('kBuffer'), callback: find('kBufferCb') }
}
