import type { Socket } from 'node:net'
import { WorkQueue } from '../work/work-queue.ts'

/** The bytes between two looks at the clock: thousands of the shortest lines, which take a millisecond. */
const PIECE_BYTES = 16 * 1024

/**
 * Passes on the bytes of a socket in pieces. The rest waits for the next turn of the event loop once a turn has lasted
 * for some milliseconds: Node hands over megabytes in one turn, and a hostile bus fills them with lines of a few bytes.
 */
export function readInTurns(socket: Socket, read: (piece: Buffer) => void): void {
  // With a queue of its own a socket waits for no calls, whose replies wait for a socket, too.
  const work = new WorkQueue()
  socket.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length && !socket.destroyed; at += PIECE_BYTES) {
      if (work.isTurnUsedUp) {
        socket.pause()
        socket.unshift(bytes.subarray(at))
        void work.nextTurn().then(() => socket.resume()) // never rejects
        return
      }
      read(bytes.subarray(at, at + PIECE_BYTES))
    }
  })
}
