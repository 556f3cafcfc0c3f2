// The neighbour: a process that calls its LLM API every 20 ms through the gateway, and through a bare proxy.
import { Agent, createServer, request } from 'node:http'
import { COMPLETION } from '../bench/canned-answer.ts'
import { onParentMessage, sendToParent } from '../bench/parent-messages.ts'
import type { NeighbourOrder, NeighbourReport, SeenCalls } from './side-processes.ts'

const EVERY_MS = 20
const GIVE_UP_MS = 30_000
const MESSAGES = [{ role: 'user', content: 'Who were the founders of Microsoft?' }]

const llm = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (incoming, answer) => {
  incoming.resume()
  incoming.on('end', () => answer.writeHead(200, { 'Content-Type': 'application/json' }).end(COMPLETION))
})
llm.listen(0, '127.0.0.1', () => {
  const address = llm.address()
  sendToParent({ llmPort: address !== null && typeof address === 'object' ? address.port : 0 })
})

/** Calls one port until `end`. */
class Caller {
  readonly #port: number
  readonly #tag: string
  readonly #agent = new Agent({ keepAlive: true, scheduling: 'fifo' })
  readonly #milliseconds: number[] = []
  #worst = { milliseconds: 0, endedMs: 0 }
  readonly #statuses = new Map<string, number>()
  readonly #ticker: NodeJS.Timeout
  #started = 0
  #ended = 0
  #whenEnded: () => void = () => undefined

  constructor(port: number, tag: string) {
    this.#port = port
    this.#tag = tag
    this.#ticker = setInterval(() => this.#call(), EVERY_MS)
  }

  async end(): Promise<SeenCalls> {
    clearInterval(this.#ticker)
    if (this.#ended < this.#started)
      await new Promise<void>((resolve) => {
        this.#whenEnded = resolve
      })
    this.#agent.destroy()
    const sorted = Float64Array.from(this.#milliseconds).sort()
    return {
      calls: this.#started,
      worstMs: this.#worst.milliseconds,
      worstEndedMs: this.#worst.endedMs,
      middleMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
      statuses: Object.fromEntries(this.#statuses),
    }
  }

  #call(): void {
    this.#started += 1
    const body = JSON.stringify({ user: `${this.#tag}-${String(this.#started).padStart(9, '0')}`, messages: MESSAGES })
    const began = performance.now()
    let status = ''
    const sent = request({
      host: '127.0.0.1',
      port: this.#port,
      path: '/neighbour/chat/completions',
      method: 'POST',
      agent: this.#agent,
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
      timeout: GIVE_UP_MS,
    })
    sent.on('response', (answer) => {
      answer.resume()
      answer.on('end', () => {
        status = String(answer.statusCode)
      })
    })
    sent.on('timeout', () => sent.destroy(new Error('timeout')))
    sent.on('error', (error) => {
      status = 'code' in error ? String(error.code) : error.message
    })
    sent.on('close', () => {
      const milliseconds = performance.now() - began
      this.#milliseconds.push(milliseconds)
      if (milliseconds > this.#worst.milliseconds) this.#worst = { milliseconds, endedMs: Date.now() }
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
      this.#ended += 1
      if (this.#ended === this.#started) this.#whenEnded()
    })
    sent.end(body)
  }
}

let callers: readonly Caller[] = []

async function runOrder(order: NeighbourOrder): Promise<NeighbourReport | { begun: true }> {
  if (order.kind === 'begin') {
    callers = [new Caller(order.gatewayPort, order.tag), new Caller(order.floorPort, order.tag)]
    return { begun: true }
  }
  const [gateway, control] = await Promise.all(callers.map((caller) => caller.end()))
  if (gateway === undefined || control === undefined) throw new Error('end without begin')
  return { gateway, control }
}

onParentMessage<NeighbourOrder>((order) => {
  void runOrder(order).then(sendToParent, (error) => sendToParent({ failed: String(error) }))
})
