export type MergedText = {
  readonly text: string
  /**
   * The first line that both sides changed differently; lines begin at 1. The merged text has your version of these
   * lines.
   */
  readonly clash: number | undefined
}

export type ThreeTexts = { readonly base: string; readonly theirs: string; readonly yours: string }

/** A change: lines `from` up to `to` of the base become `lines`. */
type Hunk = { readonly from: number; readonly to: number; readonly lines: readonly string[] }

/**
 * Bound of compared pairs of lines. Beyond it all lines between the first and the last difference count as one change.
 */
const PAIRS_MAX = 1_000_000

/**
 * Merges two changes of a text line by line.
 *
 * @param distance number of unchanged lines that must lie between two changes that don't clash
 */
export function mergeText({ base, theirs, yours }: ThreeTexts, distance: 0 | 1): MergedText {
  const before = base.split('\n')
  const [their, your] = [hunksOf(before, theirs.split('\n')), hunksOf(before, yours.split('\n'))]
  const merged: string[] = []
  let clash: number | undefined
  let done = 0
  for (const { from, to } of changedRanges([...their, ...your], distance)) {
    const within = (hunks: readonly Hunk[]) =>
      hunks.filter((hunk) => hunk.from >= from && hunk.to <= to && (hunk.from < to + distance || from === to))
    const [one, other] = [within(their), within(your)]
    const sides = [one, other].map((hunks) => applied(before, { from, to }, hunks))
    const areSame = JSON.stringify(sides[0]) === JSON.stringify(sides[1])
    merged.push(...before.slice(done, from))
    if (one.length > 0 && other.length > 0 && !areSame) clash ??= merged.length + 1
    merged.push(...((other.length > 0 ? sides[1] : sides[0]) ?? []))
    done = to
  }
  return { text: [...merged, ...before.slice(done)].join('\n'), clash }
}

type LineRange = Pick<Hunk, 'from' | 'to'>

/**
 * Returns the ranges of lines that either side changed. Changes with fewer than `distance` unchanged lines between them
 * make one range, and so do changes that begin at the same line.
 */
function changedRanges(hunks: readonly Hunk[], distance: number): readonly LineRange[] {
  const sorted = hunks.toSorted((one, other) => one.from - other.from || one.to - other.to)
  const found: LineRange[] = []
  for (const { from, to } of sorted) {
    const last = found.at(-1)
    const meets = last !== undefined && (from < last.to + distance || from === last.from)
    if (meets) found.splice(-1, 1, { from: last.from, to: Math.max(last.to, to) })
    else found.push({ from, to })
  }
  return found
}

function applied(before: readonly string[], { from, to }: LineRange, hunks: readonly Hunk[]): readonly string[] {
  const lines: string[] = []
  let done = from
  for (const hunk of hunks) {
    lines.push(...before.slice(done, hunk.from), ...hunk.lines)
    done = hunk.to
  }
  return [...lines, ...before.slice(done, to)]
}

function hunksOf(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start += 1
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  if (old.length === 0 && now.length === 0) return []
  if (old.length * now.length > PAIRS_MAX) return [{ from: start, to: start + old.length, lines: now }]
  return hunksBetween(old, now).map(({ from, to, lines }) => ({ from: from + start, to: to + start, lines }))
}

/** Compares lines by their longest common subsequence. */
function hunksBetween(old: readonly string[], now: readonly string[]): readonly Hunk[] {
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const isSame = old[row] === now[column]
      const longest = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
      common[row * width + column] = longest
    }
  }
  const hunks: Hunk[] = []
  let [row, column] = [0, 0]
  while (row < old.length || column < now.length) {
    const [from, first] = [row, column]
    while ((row < old.length || column < now.length) && (row >= old.length || old[row] !== now[column])) {
      if (column >= now.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) row += 1
      else column += 1
    }
    if (row > from || column > first) hunks.push({ from, to: row, lines: now.slice(first, column) })
    row += 1
    column += 1
  }
  return hunks
}
