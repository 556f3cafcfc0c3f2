import { decodeMessage } from '@llm-gateway/protocol'
import type { KeyValue } from '@llm-gateway/sdk'
import type { Availability, Disabling } from './availability.ts'
import { FAILURE_REASONS } from './failure.ts'

export type SharedOptions = {
  readonly keyValue: KeyValue
  readonly availability: Pick<Availability, 'learn' | 'disablings'>
}

const AGAIN_MS = 1_000
/** A disabling takes some 60 bytes. Any program on the bus may write into the store, and the main thread parses its values. */
const MOST_BYTES = 4 * 1024

/**
 * Disablings in a bucket of the bus's key-value store, one key per member. All replicas read each disabling once it is
 * written, and the bucket survives restarts of the replicas. While the store can't be reached, each replica uses its
 * own disablings and writes them later.
 */
export class SharedDisablings {
  readonly ready: Promise<void>
  readonly #options: SharedOptions
  readonly #watch: ReturnType<KeyValue['watch']>
  /** The newest unwritten disabling of each member. */
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

  /** Shares a disabling with the other replicas, as soon as the store can be reached. */
  publish(disabling: Disabling): void {
    this.#waiting.set(disabling.member, disabling)
    this.#write(disabling.member)
  }

  /** Ends the watch after pending writes have ended. */
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

  /** Writes a disabling again that the store has lost. */
  #forgotten(member: string): void {
    const known = this.#options.availability.disablings.find((disabling) => disabling.member === member)
    if (known !== undefined) this.publish(known)
  }

  #write(member: string): void {
    if (this.#closed || this.#writing.has(member)) return
    const disabling = this.#waiting.get(member)
    if (disabling === undefined) return
    this.#waiting.delete(member)
    // `#put` never rejects.
    this.#writing.set(member, this.#put(disabling))
  }

  async #put(disabling: Disabling): Promise<void> {
    const { member } = disabling
    const outcome = await this.#options.keyValue.put(member, encodeDisabling(disabling))
    this.#writing.delete(member)
    if (outcome.kind === 'written') return this.#write(member)
    // Keeps a newer disabling that was added during the write.
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

/** Decodes a disabling; undefined for a value that no broker wrote. */
function decodeDisabling(member: string, value: Uint8Array): Disabling | undefined {
  const fields = value.length > MOST_BYTES ? undefined : decodeMessage(value)
  const until = fields?.get('until')
  const reason = FAILURE_REASONS.find((name) => name === fields?.get('reason'))
  if (typeof until !== 'number' || reason === undefined) return undefined
  return { member, until, reason }
}
