import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { TurnQueue } from '../work/turn-queue.ts'
import { LookupLines } from './lookup-lines.ts'

type Answered = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void
/** node's lookup of all addresses. */
type SystemLookup = (hostname: string, options: LookupAllOptions, answered: Answered) => void
/** A question to the system, and the connections that wait for its answer. */
type Question = {
  readonly key: string
  readonly hostname: string
  readonly options: LookupAllOptions
  readonly waiting: Answered[]
}

/**
 * The most connections that wait, each of which holds some 5 KB, even once its call has failed: callers that leave and
 * come again would add some thousands a second. Of each question a few wait beyond, so that a name that nobody answers
 * fails few calls to another. Beyond `MAX_WITH_FEW`, which many such names reach together, one waits for each question.
 */
const MAX_WAITING = 10_000
const FEW_WAITING = 128
const MAX_WITH_FEW = 20_000
/**
 * The most addresses of each family that a connection gets of a name. Node compares all of them with each other, and
 * begins the next attempt within the one before where an attempt fails at once: 4,000 multicast addresses took seconds
 * of a turn, or ended the process by an overflow of the stack.
 */
const MOST_ADDRESSES = 16
/** The most connections that get an answer in one turn of the event loop: 2,000 that fail take 150 ms. */
const MOST_ANSWERS = 24

/**
 * Asks the system for addresses, each question once at a time. Forty calls to one LLM API whose name nobody answers kept all
 * other LLM APIs from new connections for minutes. The connections that wait are bounded, and so are the names for which
 * they wait; further ones fail at once.
 */
export class SharedLookup {
  readonly #system: SystemLookup
  readonly #asked = new Map<string, Question>()
  readonly #lines = new LookupLines<Question>()
  /** The connections that have no answer yet. */
  #waiting = 0
  readonly #answers = new TurnQueue(MOST_ANSWERS)

  constructor(system: SystemLookup = dnsLookup) {
    this.#system = system
  }

  readonly lookup: LookupFunction = (hostname, { all, family, hints }, callback) => {
    const answered: Answered = (error, addresses) => {
      const [first] = addresses
      if (error !== null) callback(error, '')
      else if (all === true) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family)
    }
    const key = `${hostname} ${family} ${hints}`
    const running = this.#asked.get(key)
    if (running !== undefined) {
      this.#join(running, answered)
      return
    }
    const question = { key, hostname, options: { all: true, family, hints } as const, waiting: [answered] }
    if (!this.#lines.add(question)) {
      refuse(answered)
      return
    }
    this.#waiting += 1
    this.#asked.set(key, question)
    this.#askNext()
  }

  #join({ waiting }: Question, answered: Answered): void {
    const few = this.#waiting < MAX_WITH_FEW ? FEW_WAITING : 1
    if (this.#waiting >= MAX_WAITING && waiting.length >= few) {
      refuse(answered)
      return
    }
    this.#waiting += 1
    waiting.push(answered)
  }

  #askNext(): void {
    for (let next = this.#lines.take(); next !== undefined; next = this.#lines.take()) this.#ask(next)
  }

  #ask(question: Question): void {
    const { key, hostname, options, waiting } = question
    const start = performance.now()
    this.#system(hostname, options, (error, found) => {
      this.#asked.delete(key)
      this.#lines.end(question, { ms: performance.now() - start, isFailure: error !== null })
      this.#askNext()
      const addresses = error === null ? firstAddresses(found) : []
      const answer = (answered: Answered): void => {
        this.#waiting -= 1
        answered(error, addresses)
      }
      for (const answered of waiting.slice(0, MOST_ANSWERS)) answer(answered)
      for (const answered of waiting.slice(MOST_ANSWERS)) this.#answers.add(() => answer(answered))
    })
  }
}

/** Fails the connection with EAI_AGAIN, which the caller gets as UPSTREAM_NOT_FOUND. */
function refuse(answered: Answered): void {
  process.nextTick(answered, Object.assign(new Error('too many wait'), { code: 'EAI_AGAIN' }), [])
}

/** Returns the first different addresses of each family, in their order. */
function firstAddresses(found: readonly LookupAddress[]): LookupAddress[] {
  const kept = new Map<string, LookupAddress>()
  const counts = new Map<number, number>()
  for (const each of found) {
    const count = counts.get(each.family) ?? 0
    if (count >= MOST_ADDRESSES || kept.has(each.address)) continue
    counts.set(each.family, count + 1)
    kept.set(each.address, each)
  }
  return [...kept.values()]
}

/** The process has one pool of threads for all its lookups. */
export const { lookup: sharedLookup } = new SharedLookup()
