import type { Environment } from '@llm-gateway/conf'
import type { Verdict } from './judge-config.ts'

/** The file and the values as they are now, not yet judged. */
export type ReadConfig = {
  readonly kind: 'read'
  readonly valuesRevision: string | undefined
  /** Differs when the bytes or a referenced value differ; never logged. */
  readonly fingerprint: string
  /** Never rejects. */
  judge(acceptMissing: boolean): Promise<Verdict>
  /** Gives its memory back; it isn't judged any more. */
  close(): Promise<void>
}

/** `lasting`: to read it again at once would fail as well. */
export type ConfigReading =
  | ReadConfig
  | { readonly kind: 'unreadable'; readonly code: string; readonly lasting: boolean }

export type ConfigPlace = {
  readonly file: string
  readonly secretsDir?: string
  readonly environment: Environment
}
