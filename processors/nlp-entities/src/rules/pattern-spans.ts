import type { Label, Span } from '../entity.ts'
import { AFTER, BEFORE } from './number-words.ts'

export type LabelPattern = { readonly label: Label; readonly pattern: RegExp }

/** A pattern of whole words in any case; the source may hold look-arounds of its own. */
export function wholeWords(label: Label, source: string): LabelPattern {
  return { label, pattern: new RegExp(`${BEFORE}(?:${source})${AFTER}`, 'giu') }
}

/** The same where case tells: `May`, `AD`. */
export function exactWords(label: Label, source: string): LabelPattern {
  return { label, pattern: new RegExp(`${BEFORE}(?:${source})${AFTER}`, 'gu') }
}

/** Where the patterns fit. */
export function patternSpans(text: string, patterns: readonly LabelPattern[]): readonly Span[] {
  return patterns.flatMap(({ label, pattern }) =>
    Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({ start: index, end: index + length, label })),
  )
}
