import type { CheckedRouter, GlSettings, ProcessorEntry, ValidationErrors } from '@llm-gateway/conf'
import type { ConfigPlace } from './config-reading.ts'

/** The start data of the thread that reads a configuration. */
export type ReadOrder = { readonly place: ConfigPlace; readonly memoryBytes: number }

/**
 * A question to the thread. Only one is asked at a time, so that the asking thread deserializes one answer per task.
 */
export type Question =
  | { readonly kind: 'read' }
  | { readonly kind: 'judge'; readonly acceptMissing: boolean }
  | { readonly kind: 'more' }

export type Answer =
  | { readonly kind: 'read'; readonly fingerprint: string; readonly valuesRevision: string | undefined }
  | { readonly kind: 'unreadable'; readonly code: string; readonly lasting: boolean }
  | { readonly kind: 'invalid'; readonly validationErrors: ValidationErrors }
  | { readonly kind: 'unfinished'; readonly digest: string; readonly missing: readonly string[] }
  | CheckedHead
  | MembersPiece
  | { readonly kind: 'routers'; readonly routers: readonly CheckedRouter[] }
  | { readonly kind: 'end' }

/** A checked configuration without its rows' members and its routers, which follow in pieces. */
export type CheckedHead = {
  readonly kind: 'checked'
  readonly digest: string
  /** The settings with as many empty rows as the file has. */
  readonly settings: GlSettings
  readonly unknownKeys: readonly string[]
  /** The first rejected fields. */
  readonly rejectedFields: Readonly<Record<string, string>>
  readonly rejectedRouters: number
}

/** Members of one row, in order. */
export type MembersPiece = {
  readonly kind: 'members'
  readonly phase: 'request' | 'response'
  readonly row: number
  readonly entries: readonly ProcessorEntry[]
}
