import type { GuiConfig } from '@llm-gateway/conf'
import type { PreparedCall } from '../trying/prepare-call.ts'
import type { FileParts } from './file-parts.ts'

/** What the thread is started with; copied. */
export type FileOrder = {
  /** gui_config.json */
  readonly file: string
  readonly config: Pick<GuiConfig, 'services' | 'working_directory' | 'archive_directory'>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly node: string
  readonly folders: readonly string[]
}

/** A request for an endpoint; its body is read by nobody yet. */
export type FileRequest = {
  readonly method: string
  /** Of the endpoint, parameters by their names. */
  readonly path: string
  readonly parameters: unknown
  readonly query: unknown
  readonly body: Uint8Array | undefined
  readonly callerName: string
}

export type FileQuestion =
  | { readonly kind: 'request'; readonly request: FileRequest }
  | { readonly kind: 'parts' }
  /** What a call to a router needs. */
  | { readonly kind: 'call'; readonly router: string }

export type NumberedQuestion = { readonly id: number; readonly question: FileQuestion }

export type FileAnswer =
  /** `text` is JSON. */
  | { readonly kind: 'request'; readonly status: number; readonly text: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'parts'; readonly parts: FileParts }
  | { readonly kind: 'call'; readonly call: PreparedCall }
  /** A bug. Where it was; never a message, which may hold what was sent. */
  | { readonly kind: 'failed'; readonly name: string; readonly stack: string }

export type NumberedAnswer = { readonly id: number; readonly answer: FileAnswer }
