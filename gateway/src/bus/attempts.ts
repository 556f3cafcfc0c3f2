import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import type { BusErrorCode } from './bus-error-code.ts'

export type AttemptTimings = {
  /** The first and the longest pause between two attempts; each is drawn between half and all of it. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** `bus not available` is said again after this time, or when its code changes. */
  readonly repeatWarningMs: number
}

/** Attempts to connect, one after another until one works: the pauses between them and what is said about them. */
export class Attempts {
  readonly #timings: AttemptTimings
  readonly #logger: Pick<Logger, 'warn'>
  readonly #fields: object
  #failures = 0
  #warned: { readonly code: BusErrorCode; readonly at: number } | undefined

  /** `fields`: what the warnings say beside their code. */
  constructor(timings: AttemptTimings, logger: Pick<Logger, 'warn'>, fields: object) {
    this.#timings = timings
    this.#logger = logger
    this.#fields = fields
  }

  succeeded(): void {
    this.#failures = 0
    this.#warned = undefined
  }

  failed(code: BusErrorCode): void {
    this.#failures++
    const at = performance.now()
    if (this.#warned?.code === code && at - this.#warned.at < this.#timings.repeatWarningMs) return
    this.#warned = { code, at }
    this.#logger.warn({ ...this.#fields, code }, 'bus not available')
  }

  /** Returns early, and never rejects, when the signal aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    const { firstPauseMs, longestPauseMs } = this.#timings
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 20))
    const jitteredMs = pauseMs * (0.5 + Math.random() / 2)
    await sleep(jitteredMs, undefined, { signal }).catch(() => undefined)
  }
}
