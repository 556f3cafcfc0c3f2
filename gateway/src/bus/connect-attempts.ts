import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import type { BusErrorCode } from './bus-error-code.ts'

export type ConnectTimings = {
  /**
   * The pause in milliseconds after a lost connection, which each failed attempt doubles, and the longest pause. The
   * actual pause is random, between half of the value and the whole value.
   */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** The time in milliseconds after which `bus not available` is logged again; a new code is logged at once. */
  readonly repeatWarningMs: number
}

/** The attempts to connect until one succeeds, with the pauses between them and their warnings. */
export class ConnectAttempts {
  readonly #timings: ConnectTimings
  readonly #logger: Pick<Logger, 'warn'>
  readonly #fields: object
  #failures = 0
  #warned: { readonly code: BusErrorCode; readonly at: number } | undefined

  /** `fields` are added to the warnings. */
  constructor(timings: ConnectTimings, logger: Pick<Logger, 'warn'>, fields: object) {
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

  /** Waits for the next attempt; resolves early when the signal aborts, never rejects. */
  async pause(signal: AbortSignal): Promise<void> {
    const { firstPauseMs, longestPauseMs } = this.#timings
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 20))
    const jitteredMs = pauseMs * (0.5 + Math.random() / 2)
    await sleep(jitteredMs, undefined, { signal }).catch(() => undefined)
  }
}
