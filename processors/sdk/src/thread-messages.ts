import type { ThreadFailure } from './failure.ts'

/** What a thread is started with. */
export type ThreadStart = {
  /** One number: the id of the newest question that nobody waits for any more. */
  readonly stopped: SharedArrayBuffer
  readonly data: unknown
}

export type ThreadQuestion = { readonly id: number; readonly question: unknown }

export type ThreadAnswer =
  | { readonly kind: 'ready' }
  /** It can't work with these settings: path → reason. */
  | { readonly kind: 'refused'; readonly reasons: Readonly<Record<string, string>> }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ThreadFailure }
