import type { Span } from './entity.ts'

/** Of spans that overlap the longest stays, of equally long ones the first named; the result is in the text's order. */
export function settleSpans(spans: readonly Span[]): readonly Span[] {
  const ranked = spans.filter(({ start, end }) => end > start).toSorted((one, other) => length(other) - length(one))
  const taken = new Set<number>()
  const kept: Span[] = []
  for (const span of ranked) {
    if (isTaken(span, taken)) continue
    for (let at = span.start; at < span.end; at += 1) taken.add(at)
    kept.push(span)
  }
  return kept.toSorted((one, other) => one.start - other.start)
}

/** Every span kept before is at least as long, so one that overlaps holds an end of this one. */
function isTaken({ start, end }: Span, taken: ReadonlySet<number>): boolean {
  return taken.has(start) || taken.has(end - 1)
}

function length({ start, end }: Span): number {
  return end - start
}
