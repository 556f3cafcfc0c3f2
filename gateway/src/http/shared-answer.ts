import { TurnQueue } from '../work/turn-queue.ts'
import type { WorkQueue } from '../work/work-queue.ts'

export type SharedAnswerOptions<Request, Answer> = {
  /** A request joins the running rendering only if this value is still the same. */
  readonly state: () => unknown
  /** Renders in slices; must not reject. */
  readonly render: () => Promise<Answer>
  /** Must not throw. */
  readonly send: (request: Request, answer: Answer) => void
  /** True once the connection of a request is closed. */
  readonly isGone: (request: Request) => boolean
  /** The process's queue; each rendering begins with a slice of its own. */
  readonly work: WorkQueue
}

/** The most answers that are sent in one turn of the event loop: one of 25 MB has 400 pieces, and takes milliseconds. */
const MOST_SENDS = 4

/**
 * An answer of up to tens of megabytes that requests share. At most one rendering runs, however many requests come, and
 * the next one begins once all answers with the last one have been sent. So two renderings are held at most, beside
 * those that wait for slow readers.
 */
export class SharedAnswer<Request, Answer> {
  readonly #options: SharedAnswerOptions<Request, Answer>
  readonly #sends = new TurnQueue(MOST_SENDS)
  /** The running rendering, which requests join. */
  #rendering: { readonly state: unknown; readonly waiting: WaitingRequests<Request> } | undefined
  /** The requests for the next rendering. */
  #next: WaitingRequests<Request>
  #isBusy = false

  constructor(options: SharedAnswerOptions<Request, Answer>) {
    this.#options = options
    this.#next = new WaitingRequests(options.isGone)
  }

  /** Sends the answer to a request in a later turn. */
  add(request: Request): void {
    const rendering = this.#rendering
    const joins = rendering !== undefined && rendering.state === this.#options.state()
    if (joins) rendering.waiting.add(request)
    else this.#next.add(request)
    if (!this.#isBusy) void this.#answerAll() // never rejects: neither `render` nor a slice's turn does
  }

  async #answerAll(): Promise<void> {
    const { state, render, isGone, work } = this.#options
    this.#isBusy = true
    // A rendering that began at once would take a slice within each read of a crowd of requests.
    for (await work.turn('admin'); this.#next.open().length > 0; await work.turn('admin')) {
      const waiting = this.#next
      this.#next = new WaitingRequests(isGone)
      this.#rendering = { state: state(), waiting }
      const answer = await render()
      this.#rendering = undefined
      await this.#send(waiting.open(), answer)
    }
    this.#isBusy = false
  }

  #send(requests: readonly Request[], answer: Answer): Promise<void> {
    return new Promise((resolve) => {
      for (const request of requests) this.#sends.add(() => this.#options.send(request, answer))
      this.#sends.add(resolve)
    })
  }
}

/** Requests for one rendering. Requests whose connections have closed are forgotten before they outnumber the others. */
class WaitingRequests<Request> {
  readonly #isGone: (request: Request) => boolean
  #requests: Request[] = []
  #sweepAt = FEW_REQUESTS

  constructor(isGone: (request: Request) => boolean) {
    this.#isGone = isGone
  }

  add(request: Request): void {
    if (this.#requests.length === this.#sweepAt) this.#sweepAt = Math.max(FEW_REQUESTS, 2 * this.open().length)
    this.#requests.push(request)
  }

  /** Forgets the requests of closed connections, and returns the others. */
  open(): readonly Request[] {
    this.#requests = this.#requests.filter((request) => !this.#isGone(request))
    return this.#requests
  }
}

/** The requests up to which closed connections aren't looked for. */
const FEW_REQUESTS = 1_000
