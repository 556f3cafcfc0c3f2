import { Socket } from 'node:net'
import type { NatsConnection } from 'nats'
import { WorkQueue } from '../work/work-queue.ts'

/** Learns whether a connection has bytes that wait to be read. */
export type UnreadListener = {
  /** Called in each turn that leaves bytes unread. */
  noteUnread(): void
  /** Called after a turn that has read all. */
  noteRead(): void
}

/**
 * Lets the `nats` library read its socket for some milliseconds in each turn of the event loop: Node hands over 2 MiB in
 * one turn, which may be 20,000 replies, or 160,000 messages without bytes.
 */
export function readClientInTurns(connection: NatsConnection, listener: UnreadListener): void {
  const socket = socketOf(connection)
  if (socket === undefined) return
  // With a queue of its own a socket waits for no calls, whose replies wait for a socket, too.
  const work = new WorkQueue()
  let isPaused = false
  const endIfRead = (): void => {
    if (!isPaused) listener.noteRead()
  }
  const resume = (): void => {
    isPaused = false
    socket.resume()
    // Sockets are read before the next immediate.
    setImmediate(endIfRead)
  }
  socket.on('data', () => {
    if (isPaused || !work.isTurnUsedUp) return
    isPaused = true
    socket.pause()
    listener.noteUnread()
    setImmediate(resume)
  })
}

/** Returns the library's socket, which its types lack; a test fails if another version keeps it elsewhere. */
function socketOf(connection: object): Socket | undefined {
  const transport = member(member(connection, 'protocol'), 'transport')
  const socket = member(transport, 'socket')
  return socket instanceof Socket ? socket : undefined
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
