import { decodeMessage } from '@llm-gateway/protocol'
import type { KeyValue } from '@llm-gateway/sdk'
import type { Availability, Disabling } from './availability.ts'
import { FAILURE_REASONS } from './failure.ts'

export type SharedOptions = {
  readonly keyValue: KeyValue
  readonly availability: Pick<Availability, 'learn' | 'disablings'>
}

const AGAIN_MS = 1_000

/**
 * Disablings in a bucket of the bus's key-value store, a member a key: all replicas learn of each as it is written, and it
 * outlives them. While the store can't be reached each replica goes by what it has seen, and writes it when it can.
 */
export class SharedDisablings {
  readonly ready: Promise<void>
  readonly #options: SharedOptions
  readonly #watch: ReturnType<KeyValue['watch']>
  /** Not yet written; the newest of each member. */
  readonly #waiting = new Map<string, Disabling>()
  readonly #writing = new Map<string, Promise<void>>()
  #again: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: SharedOptions) {
    this.#options = options
    this.#watch = options.keyValue.watch((member, entry) => {
      if (entry === undefined) this.#forgotten(member)
      else this.#learn(member, entry.value)
    })
    this.ready = this.#watch.ready
  }

  /** Tells the other replicas, now or as soon as it can be done. */
  publish(disabling: Disabling): void {
    this.#waiting.set(disabling.member, disabling)
    this.#write(disabling.member)
  }

  /** Ends the watch; what is being written may end first. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#again)
    await Promise.all(this.#writing.values())
    await this.#watch.close()
  }

  #learn(member: string, value: Uint8Array): void {
    const disabling = decodeDisabling(member, value)
    if (disabling !== undefined) this.#options.availability.learn(disabling)
  }

  /** A store that lost its bucket is told again what still holds. */
  #forgotten(member: string): void {
    const known = this.#options.availability.disablings.find((disabling) => disabling.member === member)
    if (known !== undefined) this.publish(known)
  }

  #write(member: string): void {
    if (this.#closed || this.#writing.has(member)) return
    const disabling = this.#waiting.get(member)
    if (disabling === undefined) return
    this.#waiting.delete(member)
    // Has no failure of its own.
    this.#writing.set(member, this.#put(disabling))
  }

  async #put(disabling: Disabling): Promise<void> {
    const { member } = disabling
    const outcome = await this.#options.keyValue.put(member, encodeDisabling(disabling))
    this.#writing.delete(member)
    if (outcome.kind === 'written') return this.#write(member)
    // A newer one may have come meanwhile.
    if (!this.#waiting.has(member)) this.#waiting.set(member, disabling)
    this.#again ??= setTimeout(() => this.#writeAll(), AGAIN_MS).unref()
  }

  #writeAll(): void {
    this.#again = undefined
    const holding = new Set(this.#options.availability.disablings.map(({ member }) => member))
    for (const member of [...this.#waiting.keys()]) {
      if (holding.has(member)) this.#write(member)
      else this.#waiting.delete(member)
    }
  }
}

function encodeDisabling({ until, reason }: Disabling): Uint8Array {
  return Buffer.from(JSON.stringify({ until, reason }))
}

/** Undefined for what no broker wrote. */
function decodeDisabling(member: string, value: Uint8Array): Disabling | undefined {
  const fields = decodeMessage(value)
  const until = fields?.get('until')
  const reason = FAILURE_REASONS.find((name) => name === fields?.get('reason'))
  if (typeof until !== 'number' || reason === undefined) return undefined
  return { member, until, reason }
}
