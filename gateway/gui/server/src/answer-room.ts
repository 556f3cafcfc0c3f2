import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type RoomLimits = {
  /** Bytes of all answers that are being sent. A larger answer is sent while there is no other. */
  readonly bytes: number
  /** Bytes of all answers that wait for room. A larger answer waits while there is no other. */
  readonly waitingBytes: number
  readonly waitMs: number
  /** After this time an answer gives way to an answer that waits: its connection is closed. */
  readonly slowMs: number
}

/** An answer that is ready to be sent. */
export type ReadyAnswer = {
  readonly bytes: number
  /** The same object for all answers of a caller. */
  readonly caller: object
  readonly response: ServerResponse
  readonly socket: Socket
}

const MIB = 1024 * 1024
const LIMITS: RoomLimits = { bytes: 96 * MIB, waitingBytes: 64 * MIB, waitMs: 10_000, slowMs: 30_000 }

type Sent = ReadyAnswer & { readonly sinceMs: number }
type Waiting = ReadyAnswer & { readonly settle: (hasRoom: boolean) => void }

/**
 * Bounds the bytes of all answers that are being sent, since many callers may ask for large texts and read them slowly.
 * A caller gets at most half of the bytes beside its first answer.
 */
export class AnswerRoom {
  readonly #limits: RoomLimits
  /** In the order of their beginning. */
  readonly #sent = new Set<Sent>()
  readonly #waiting = new Set<Waiting>()
  /** For each connection what ends with it. A listener for each answer would be too many on one connection. */
  readonly #endings = new WeakMap<Socket, Set<() => void>>()
  #look: NodeJS.Timeout | undefined

  constructor(limits: Partial<RoomLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * Waits until an answer has room, which it keeps until its caller has read it or has left. Resolves with false if no
   * room became free in time.
   */
  hold(answer: ReadyAnswer): Promise<boolean> {
    if (this.#blockers(answer).length > 0) return this.#wait(answer)
    this.#send(answer)
    return Promise.resolve(true)
  }

  /** Returns the answers of which one must end before this answer has room; none if it has room now. */
  #blockers({ bytes, caller }: ReadyAnswer): readonly Sent[] {
    const all = [...this.#sent]
    const own = all.filter((one) => one.caller === caller)
    if (own.length > 0 && sumOf(own) + bytes > this.#limits.bytes / 2) return own
    return sumOf(all) + bytes > this.#limits.bytes ? all : []
  }

  async #wait(answer: ReadyAnswer): Promise<boolean> {
    const { waitingBytes, waitMs } = this.#limits
    if (this.#waiting.size > 0 && sumOf(this.#waiting) + answer.bytes > waitingBytes) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiting: Waiting = { ...answer, settle: resolve }
    const timer = setTimeout(resolve, waitMs, false)
    const forget = this.#whenClosed(answer.socket, () => resolve(false))
    this.#waiting.add(waiting)
    this.#endSlow()
    const hasRoom = await promise
    clearTimeout(timer)
    forget()
    this.#waiting.delete(waiting)
    return hasRoom
  }

  #send(answer: ReadyAnswer): void {
    const { response, socket } = answer
    // A caller that has left tells of no further close.
    if (socket.destroyed) return
    const sent: Sent = { ...answer, sinceMs: performance.now() }
    this.#sent.add(sent)
    const end = (): void => {
      forget()
      if (this.#sent.delete(sent)) this.#admit()
    }
    const forget = this.#whenClosed(socket, end)
    response.once('close', end)
  }

  /** Sends the waiting answers that have room now, the oldest first: a small one passes one that is still too large. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (this.#blockers(waiting).length > 0) continue
      this.#waiting.delete(waiting)
      this.#send(waiting)
      waiting.settle(true)
    }
    this.#endSlow()
  }

  /** Closes the connection of a slow answer that another one waits for, or looks again once an answer becomes slow. */
  #endSlow(): void {
    clearTimeout(this.#look)
    const oldest = [...this.#waiting].flatMap((waiting) => this.#blockers(waiting).slice(0, 1))
    const [first] = oldest.toSorted((one, other) => one.sinceMs - other.sinceMs)
    if (first === undefined) return
    const leftMs = first.sinceMs + this.#limits.slowMs - performance.now()
    if (leftMs <= 0) first.socket.destroy()
    else this.#look = setTimeout(() => this.#endSlow(), leftMs).unref()
  }

  /** Calls `end` when the connection closes; the returned function prevents the call. */
  #whenClosed(socket: Socket, end: () => void): () => void {
    const known = this.#endings.get(socket)
    const endings = known ?? new Set<() => void>()
    if (known === undefined) {
      this.#endings.set(socket, endings)
      socket.once('close', () => {
        for (const one of endings) one()
      })
    }
    endings.add(end)
    return () => void endings.delete(end)
  }
}

function sumOf(answers: Iterable<{ readonly bytes: number }>): number {
  let sum = 0
  for (const { bytes } of answers) sum += bytes
  return sum
}
