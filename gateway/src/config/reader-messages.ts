import type { CheckedRouter, GlSettings, ProcessorEntry, ValidationErrors } from '@llm-gateway/conf'
import type { ConfigSource, UnreadableConfig } from './read-result.ts'

/** The start data of the thread that reads a configuration. */
export type ReaderData = { readonly source: ConfigSource; readonly memoryBytes: number }

/**
 * A question to the thread. Only one is asked at a time, so that the asking thread deserializes one answer per task.
 */
export type ReaderRequest =
  | { readonly kind: 'read' }
  | { readonly kind: 'check'; readonly acceptMissing: boolean }
  | { readonly kind: 'more' }

export type ReaderResponse =
  | { readonly kind: 'read'; readonly fingerprint: string; readonly valuesRevision: string | undefined }
  | UnreadableConfig
  | { readonly kind: 'invalid'; readonly validationErrors: ValidationErrors }
  /** The file is valid, but the delivered values named in `missing` have not arrived yet. */
  | { readonly kind: 'unfinished'; readonly digest: string; readonly missing: readonly string[] }
  | ConfigHead
  | ProcessorsPiece
  | PathsPiece
  | { readonly kind: 'routers'; readonly routers: readonly CheckedRouter[] }
  | { readonly kind: 'end' }

/** A checked configuration without its rows' members and its routers, which follow in pieces. */
export type ConfigHead = {
  readonly kind: 'checked'
  readonly digest: string
  /** The settings with as many empty rows as the file has. */
  readonly settings: GlSettings
  readonly unknownKeys: readonly string[]
  /** The first rejected fields. */
  readonly rejectedFields: Readonly<Record<string, string>>
  /** Indexes in the file. */
  readonly rejectedRouters: readonly number[]
}

/** Members of one row, in order. A list of many paths is empty here. */
export type ProcessorsPiece = {
  readonly kind: 'processors'
  readonly phase: 'request' | 'response'
  readonly row: number
  readonly entries: readonly ProcessorEntry[]
}

/** Paths of a list that is long, in order. `entry` is an index of the row, which has come before. */
export type PathsPiece = {
  readonly kind: 'paths'
  readonly phase: 'request' | 'response'
  readonly row: number
  readonly entry: number
  readonly list: 'routers' | 'reroute_to'
  readonly paths: readonly string[]
}
