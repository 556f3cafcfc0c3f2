export type MergedText = {
  readonly text: string
  /** Both changed the same lines, or lines beside each other; the text is yours. */
  readonly isClash: boolean
}

/** Two changes of one text that is no JSON, line by line. */
export function mergeText(base: string, theirs: string, yours: string): MergedText {
  const [before, one, other] = [base, theirs, yours].map((text) => text.split('\n'))
  if (before === undefined || one === undefined || other === undefined) return { text: yours, isClash: true }
  if (theirs === yours || base === theirs) return { text: yours, isClash: false }
  if (base === yours) return { text: theirs, isClash: false }
  const [their, your] = [changedLines(before, one), changedLines(before, other)]
  const [first, last] = their.from <= your.from ? [their, your] : [your, their]
  if (first.to >= last.from) return { text: yours, isClash: true }
  const parts = [before.slice(0, first.from), first.lines, before.slice(first.to, last.from), last.lines]
  return { text: [...parts.flat(), ...before.slice(last.to)].join('\n'), isClash: false }
}

type ChangedLines = { readonly from: number; readonly to: number; readonly lines: readonly string[] }

/** From the first line that differs to the last one. */
function changedLines(before: readonly string[], after: readonly string[]): ChangedLines {
  const shortest = Math.min(before.length, after.length)
  let from = 0
  while (from < shortest && before[from] === after[from]) from += 1
  let end = 0
  while (end < shortest - from && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return { from, to: before.length - end, lines: after.slice(from, after.length - end) }
}
