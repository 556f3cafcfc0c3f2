import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export type LoadOptions = {
  readonly port: number
  /** Used in turn. */
  readonly paths: readonly string[]
  /** Requests per second while fewer than 200 are under way. Unset: each connection asks again after its answer. */
  readonly rate?: number
  /** Number of keep-alive connections; default 16. */
  readonly connections?: number
  /** Smallest size of each request's body; default 200. */
  readonly bodyBytes?: number
}

/** A running load. Every request counts as a right answer or as a failure. */
export type Load = {
  /** Right answers so far: 200 with the model of the request in the body. */
  readonly right: number
  readonly failed: number
  /** Descriptions of the first failures. */
  readonly failures: readonly string[]
  /** Resolves when `count` more requests have ended. Rejects after `timeoutMs`. */
  more(count: number, timeoutMs?: number): Promise<void>
  /** Starts no more requests. Resolves when all have ended. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const GIVE_UP_MS = 60_000
const MOST_FAILURES_KEPT = 20
/** Beyond this number no request is started: a slow machine falls behind instead of timing out in the queue. */
const MOST_UNDER_WAY = 200

/** Sends chat completions until it is stopped, each with a model of its own that the fake LLM returns. */
export function startLoad(options: LoadOptions): Load {
  return new RunningLoad(options)
}

class RunningLoad implements Load {
  right = 0
  failed = 0
  readonly failures: string[] = []
  readonly #options: LoadOptions
  readonly #agent: Agent
  readonly #padding: string
  readonly #waiting = new Set<() => void>()
  readonly #began = performance.now()
  readonly #ticker: NodeJS.Timeout | undefined
  #started = 0
  #skipped = 0
  #stopped = false

  constructor(options: LoadOptions) {
    const { connections = 16, rate, bodyBytes = 200 } = options
    this.#options = options
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
    this.#padding = 'lorem "ipsum" '.repeat(Math.ceil(bodyBytes / 14))
    if (rate !== undefined) this.#ticker = setInterval(() => this.#startDue(rate), 2)
    else for (let connection = 0; connection < connections; connection += 1) this.#start()
  }

  more(count: number, timeoutMs = GIVE_UP_MS): Promise<void> {
    const goal = this.right + this.failed + count
    return this.#until(() => this.right + this.failed >= goal, timeoutMs, `${count} more requests`)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#ticker)
    await this.#until(() => this.right + this.failed >= this.#started, 2 * GIVE_UP_MS, 'the last requests')
    this.#agent.destroy()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #startDue(rate: number): void {
    const due = Math.floor(((performance.now() - this.#began) * rate) / 1_000) - this.#skipped
    while (this.#started < due && this.#underWay < MOST_UNDER_WAY) this.#start()
    this.#skipped += Math.max(0, due - this.#started)
  }

  get #underWay(): number {
    return this.#started - this.right - this.failed
  }

  #start(): void {
    const serial = this.#started
    this.#started += 1
    this.#ask(serial).then(
      (failure) => this.#end(failure),
      (error) => this.#end(String(error)),
    )
  }

  #end(failure: string | undefined): void {
    if (failure === undefined) this.right += 1
    else {
      this.failed += 1
      const at = Math.round(performance.now() - this.#began)
      if (this.failures.length < MOST_FAILURES_KEPT) this.failures.push(`${at} ms: ${failure}`)
    }
    if (this.#options.rate === undefined && !this.#stopped) this.#start()
    for (const check of [...this.#waiting]) check()
  }

  /** Makes a call and returns the fault of its answer; undefined: the answer is right. Rejects without an answer. */
  async #ask(serial: number): Promise<string | undefined> {
    const { paths } = this.#options
    const path = paths[serial % paths.length] ?? '/'
    const model = `load-${serial}`
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: this.#padding }] })
    const answer = await this.#send(path, body)
    const answered = await text(answer)
    const right = answer.statusCode === 200 && answer.complete && modelOf(answered) === model
    return right ? undefined : `${path}: ${answer.statusCode} ${answered.slice(0, 200)}`
  }

  #send(path: string, body: string): Promise<IncomingMessage> {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const { port } = this.#options
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(GIVE_UP_MS)
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent: this.#agent, headers, signal })
      sent.on('response', resolve)
      sent.on('error', reject)
      sent.end(body)
    })
  }

  #until(holds: () => boolean, timeoutMs: number, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        this.#waiting.delete(check)
        end()
      }
      const check = (): void => {
        if (holds()) settle(resolve)
      }
      const timer = setTimeout(() => settle(() => reject(new Error(`waited ${timeoutMs} ms for ${what}`))), timeoutMs)
      this.#waiting.add(check)
      check()
    })
  }
}

function modelOf(answered: string): unknown {
  try {
    return JSON.parse(answered)?.model
  } catch (error) {
    return String(error)
  }
}
