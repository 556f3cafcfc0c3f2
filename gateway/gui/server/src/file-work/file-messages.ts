import type { GuiConfig } from '@llm-gateway/conf'
import type { PreparedCall } from '../trying/prepare-call.ts'
import type { FileParts } from './file-parts.ts'

/** The settings of the thread. They are copied to it. */
export type FileOrder = {
  /** gui_config.json */
  readonly file: string
  readonly config: Pick<GuiConfig, 'services' | 'working_directory' | 'archive_directory'>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly node: string
  readonly folders: readonly string[]
}

/** A request for an endpoint, with an unparsed body. */
export type FileRequest = {
  readonly method: string
  /** The endpoint's path, with the names of its parameters. */
  readonly path: string
  readonly parameters: unknown
  readonly query: unknown
  readonly body: Uint8Array | undefined
  readonly callerName: string
}

export type FileQuestion =
  | { readonly kind: 'request'; readonly request: FileRequest }
  | { readonly kind: 'parts' }
  /** Asks for the place, headers and secrets of a call to a router. */
  | { readonly kind: 'call'; readonly router: string }

export type FileAnswer =
  /** `text` is JSON. */
  | { readonly kind: 'request'; readonly status: number; readonly text: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'parts'; readonly parts: FileParts }
  | { readonly kind: 'call'; readonly call: PreparedCall }
  /** The texts have more work than was counted before they were read: the thread has to answer. No file was changed. */
  | { readonly kind: 'grown' }
  /** Reports a bug by its name and stack. The message is left out: it may hold parts of the request. */
  | { readonly kind: 'failed'; readonly name: string; readonly stack: string }
