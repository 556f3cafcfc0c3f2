import { setImmediate as nextTurn } from 'node:timers/promises'
import { MANY_PIECES, type PausableReader, ReadLimiter } from './read-limiter.ts'

/** MANY_PIECES times this number are the pieces that one turn may read. */
export const REPORTS_OF_TURN = 16

/** MANY_PIECES times this number are the pieces of ordinary events in one turn. */
export const REPORTS_OF_EVENTS = 8
/** The most connections of each kind that resume at once. */
export const NEW_IN_TURN = 16
export const PROVEN_IN_TURN = 128

export type Kind = 'proven' | 'new' | 'sender of small pieces'

export class Reader implements PausableReader {
  readonly name: string
  isProven: boolean
  sentSmallPieces: boolean
  readonly #order: string[]
  isPaused = false
  resumesAlone = false
  router = ''
  network = ''

  constructor(name: string, kind: Kind, order: string[]) {
    this.name = name
    this.isProven = kind === 'proven'
    this.sentSmallPieces = kind === 'sender of small pieces'
    this.#order = order
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.#order.push(this.name)
  }
}

/** A limiter whose clock stands still, unless the test gives it another one. */
export function limiterOf(readers: Iterable<PausableReader>, cpuMs = () => 0): ReadLimiter {
  const limiter = new ReadLimiter(cpuMs)
  for (const reader of readers) limiter.add(reader)
  return limiter
}

export function countManyPieces(limiter: ReadLimiter): void {
  for (let times = 0; times < REPORTS_OF_TURN; times += 1) limiter.countPieces(MANY_PIECES)
}

export async function resumed(order: readonly string[], count: number): Promise<void> {
  while (order.length < count) await nextTurn()
}
