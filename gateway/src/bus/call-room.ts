import type { QueueCapacity } from './queue-capacity.ts'
import type { RecordJournal } from './record-journal.ts'
import type { RecordRoom } from './record-room.ts'

export type CallRoomOptions = {
  readonly capacity: Pick<QueueCapacity, 'roomForCall'>
  readonly room: Pick<RecordRoom, 'isFree' | 'waitForCall'>
  /** Returns undefined where records aren't journalled. */
  readonly journal: () => Pick<RecordJournal, 'waitForRoom'> | undefined
  /** True where a call without room must be refused. */
  readonly refuses: boolean
  /** Returns true where records leave the queue to the bus or to disk, so that waiting helps. */
  readonly canLeave: () => boolean
  /** The longest wait of a call, in milliseconds. */
  readonly waitMs: number
  /** Called once for each call that waits. */
  readonly onWait: () => void
  readonly nowMs: () => number
}

type WaitingCall = { readonly router: string; readonly bodyBytes: number; readonly endMs: number }
type Wait = { readonly place: 'journal' | 'queue'; readonly hasRoom: Promise<boolean> }

/** The room for the records of calls that are about to begin: in the queue and, where calls are refused, in the journal. */
export class CallRoom {
  readonly #options: CallRoomOptions

  constructor(options: CallRoomOptions) {
    this.#options = options
  }

  /** Returns undefined where there is room. Resolves with false where the call must be refused. */
  wait(router: string, bodyBytes: number): Promise<boolean> | undefined {
    const { waitMs, onWait, nowMs } = this.#options
    const wait = this.#waitInJournal(router, bodyBytes, waitMs) ?? this.#waitInQueue(router, bodyBytes, waitMs)
    if (wait === undefined) return undefined
    onWait()
    return this.#waitInBoth({ router, bodyBytes, endMs: nowMs() + waitMs }, wait)
  }

  /** While a call waits for room in one place, other calls may take the room in the other place. */
  async #waitInBoth({ router, bodyBytes, endMs }: WaitingCall, first: Wait): Promise<boolean> {
    for (let wait: Wait | undefined = first; wait !== undefined; ) {
      if (!(await wait.hasRoom)) return false
      const restMs = Math.max(0, endMs - this.#options.nowMs())
      wait =
        wait.place === 'queue'
          ? this.#waitInJournal(router, bodyBytes, restMs)
          : this.#waitInQueue(router, bodyBytes, restMs)
    }
    return true
  }

  #waitInJournal(router: string, bodyBytes: number, timeoutMs: number): Wait | undefined {
    const { journal, refuses } = this.#options
    const hasRoom = refuses ? journal()?.waitForRoom(router, bodyBytes, timeoutMs) : undefined
    return hasRoom && { place: 'journal', hasRoom }
  }

  #waitInQueue(router: string, bodyBytes: number, timeoutMs: number): Wait | undefined {
    const { capacity, room, refuses, canLeave } = this.#options
    const request = capacity.roomForCall(router, bodyBytes)
    if (room.isFree(request) || (!refuses && !canLeave())) return undefined
    const waited = room.waitForCall(request, bodyBytes, timeoutMs)
    return { place: 'queue', hasRoom: waited.then((hasRoom) => hasRoom || !refuses) }
  }
}
