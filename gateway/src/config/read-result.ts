import type { Environment } from '@llm-gateway/conf'
import type { CheckResult } from './check-config.ts'

/** The current file and values, not checked yet. */
export type UncheckedConfig = {
  readonly kind: 'read'
  readonly valuesRevision: string | undefined
  /** Differs when the bytes or a referenced value differ; never logged. */
  readonly fingerprint: string
  /** Checks the file; never rejects. A check that wasn't finished is `unreadable` and says nothing about the file. */
  check(acceptMissing: boolean): Promise<CheckResult | UnreadableConfig>
  /** Frees the reading's memory; `check` must not be called afterwards. */
  close(): Promise<void>
}

export type UnreadableConfig = {
  readonly kind: 'unreadable'
  readonly code: string
  /**
   * `never`: another reading of the same file would fail, too. `seldom`: a thread was lost or took too long, and another
   * reading costs as much again.
   */
  readonly retry: 'never' | 'soon' | 'seldom'
}

export type ReadResult = UncheckedConfig | UnreadableConfig

export type ConfigSource = {
  readonly file: string
  readonly secretsDir?: string
  readonly environment: Environment
}
