import { Socket } from 'node:net'
import { HandshakeReads } from '../http/handshake-reads.ts'
import type { Opened } from './connection-attempt.ts'

/** The most connections whose handshakes are read at a time: a chain of many certificates costs 35 to 100 ms. */
const MOST_HANDSHAKES = 1

type Address = { readonly protocol: string; readonly hostname: string; readonly port: string }
type Connect<Target, Returned> = (target: Target, callback: (...opened: Opened) => void) => Returned

/**
 * Lets the TLS handshakes of a connector take turns, alternately by LLM API. An LLM API chooses the certificates that
 * the main thread verifies, and the answers to a hundred hellos may arrive at one moment. Returns a connector that
 * returns its socket.
 */
export function paceHandshakes<Target extends Address>(open: Connect<Target, unknown>): Connect<Target, Socket> {
  const reads = new HandshakeReads(MOST_HANDSHAKES)
  return (target, callback) => {
    // A connector of undici returns its socket, although its type doesn't say so.
    const socket = open(target, (...opened) => {
      if (opened[1] !== null) reads.end(opened[1])
      callback(...opened)
    })
    if (!(socket instanceof Socket)) throw new Error('the connector returned no socket')
    if (target.protocol !== 'https:') return socket
    // Node begins to read a connection right behind its 'connect' event; the hello has left then.
    const begin = (): void => process.nextTick(() => reads.add(socket, `${target.hostname}:${target.port}`))
    if (socket.connecting) socket.once('connect', begin)
    else begin()
    return socket
  }
}
