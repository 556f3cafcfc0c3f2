import type { Environment } from '@llm-gateway/conf'
import type { Verdict } from './judge-config.ts'

/** The current file and values, not checked yet. */
export type ReadConfig = {
  readonly kind: 'read'
  readonly valuesRevision: string | undefined
  /** Differs when the bytes or a referenced value differ; never logged. */
  readonly fingerprint: string
  /** Checks the file; never rejects. */
  judge(acceptMissing: boolean): Promise<Verdict>
  /** Frees the reading's memory; `judge` must not be called afterwards. */
  close(): Promise<void>
}

/** `lasting` is true where an immediate second reading would fail too. */
export type ConfigReading =
  | ReadConfig
  | { readonly kind: 'unreadable'; readonly code: string; readonly lasting: boolean }

export type ConfigPlace = {
  readonly file: string
  readonly secretsDir?: string
  readonly environment: Environment
}
