import type { CheckedRouter, GlSettings, ProcessorEntry, ValidationErrors } from '@llm-gateway/conf'
import type { ConfigPlace } from './config-reading.ts'

/** The data that a thread which reads a configuration is started with. */
export type ReadOrder = { readonly place: ConfigPlace; readonly memoryBytes: number }

/** Asked one at a time, so that no two answers are taken over in one task of the thread that asks. */
export type Question = { readonly kind: 'judge'; readonly acceptMissing: boolean } | { readonly kind: 'more' }

export type Answer =
  | { readonly kind: 'read'; readonly fingerprint: string; readonly valuesRevision: string | undefined }
  | { readonly kind: 'unreadable'; readonly code: string; readonly lasting: boolean }
  | { readonly kind: 'invalid'; readonly validationErrors: ValidationErrors }
  | { readonly kind: 'unfinished'; readonly digest: string; readonly missing: readonly string[] }
  | CheckedHead
  | MembersPiece
  | { readonly kind: 'routers'; readonly routers: readonly CheckedRouter[] }
  | { readonly kind: 'end' }

/** A checked configuration; its rows and routers follow in pieces. */
export type CheckedHead = {
  readonly kind: 'checked'
  readonly digest: string
  /** With as many empty rows as there are. */
  readonly settings: GlSettings
  readonly unknownKeys: readonly string[]
  /** The first of them. */
  readonly rejectedFields: Readonly<Record<string, string>>
  readonly rejectedRouters: number
}

/** Members of one row, in their order. */
export type MembersPiece = {
  readonly kind: 'members'
  readonly phase: 'request' | 'response'
  readonly row: number
  readonly entries: readonly ProcessorEntry[]
}
