import type { Environment } from '@llm-gateway/conf'
import type { CheckResult } from './check-config.ts'

/** The current file and values, not checked yet. */
export type UncheckedConfig = {
  readonly kind: 'read'
  readonly valuesRevision: string | undefined
  /** Differs when the bytes or a referenced value differ; never logged. */
  readonly fingerprint: string
  /** Checks the file; never rejects. */
  check(acceptMissing: boolean): Promise<CheckResult>
  /** Frees the reading's memory; `check` must not be called afterwards. */
  close(): Promise<void>
}

/** `isPermanent` is true where an immediate second reading would fail too. */
export type ReadResult =
  | UncheckedConfig
  | { readonly kind: 'unreadable'; readonly code: string; readonly isPermanent: boolean }

export type ConfigSource = {
  readonly file: string
  readonly secretsDir?: string
  readonly environment: Environment
}
