import { Socket } from 'node:net'
import { HandshakeReads } from '../http/handshake-reads.ts'

/** The most connections whose handshakes are read at a time: a chain of many certificates costs 35 to 100 ms. */
export const MOST_HANDSHAKES = 1

type Connect<Target> = (target: Target, callback: (...opened: [null, Socket] | [Error, null]) => void) => void

/**
 * Lets the TLS handshakes of a connector take turns. An LLM API chooses the certificates that the main thread verifies,
 * and the answers to a hundred hellos may arrive at one moment.
 */
export function paceHandshakes<Target extends { readonly protocol: string }>(open: Connect<Target>): Connect<Target> {
  const reads = new HandshakeReads(MOST_HANDSHAKES)
  return (target, callback) => {
    // A connector of undici returns its socket, although its type doesn't say so.
    const socket: unknown = open(target, (...opened) => {
      if (opened[1] !== null) reads.end(opened[1])
      callback(...opened)
    })
    if (target.protocol !== 'https:' || !(socket instanceof Socket)) return
    // Node begins to read a connection right behind its 'connect' event; the hello has left then.
    const begin = (): void => process.nextTick(() => reads.add(socket))
    if (socket.connecting) socket.once('connect', begin)
    else begin()
  }
}
