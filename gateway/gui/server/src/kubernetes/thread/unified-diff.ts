/** Bound of compared pairs of lines. Beyond it all differing lines are shown as removed and added. */
const MOST_PAIRS = 4_000_000
const CONTEXT = 3
const MOST_CHARACTERS = 256 * 1024

type DiffLine = { readonly mark: ' ' | '-' | '+'; readonly line: string }

/** Returns a unified diff with three lines of context; empty if the texts are the same. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return ''
  const steps = stepsOf(linesOf(before), linesOf(after))
  const text = hunksOf(steps)
    .map(({ from, to, oldAt, newAt }) => {
      const part = steps.slice(from, to)
      const count = (mark: '-' | '+') => part.filter((step) => step.mark === ' ' || step.mark === mark).length
      const head = `@@ -${oldAt},${count('-')} +${newAt},${count('+')} @@`
      return [head, ...part.map(({ mark, line }) => mark + line)].join('\n')
    })
    .join('\n')
  const whole = `--- stored\n+++ draft\n${text}\n`
  return whole.length > MOST_CHARACTERS ? `${whole.slice(0, MOST_CHARACTERS)}\n…\n` : whole
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function stepsOf(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const same = (lines: readonly string[]) => lines.map((line): DiffLine => ({ mark: ' ', line }))
  return [
    ...same(before.slice(0, start)),
    ...changed(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ]
}

/** Compares lines by their longest common subsequence. */
function changed(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const removed = before.map((line): DiffLine => ({ mark: '-', line }))
  const added = after.map((line): DiffLine => ({ mark: '+', line }))
  if (before.length * after.length > MOST_PAIRS) return [...removed, ...added]
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        before[i] === after[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
  const steps: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [old, now] = [removed[i], added[j]]
    if (old !== undefined && now !== undefined && old.line === now.line) {
      steps.push({ mark: ' ', line: old.line })
      i += 1
      j += 1
    } else if (
      old !== undefined &&
      (now === undefined || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      steps.push(old)
      i += 1
    } else if (now !== undefined) {
      steps.push(now)
      j += 1
    }
  }
  return steps
}

type Hunk = { readonly from: number; readonly to: number; readonly oldAt: number; readonly newAt: number }

function hunksOf(steps: readonly DiffLine[]): readonly Hunk[] {
  const hunks: { from: number; to: number; oldAt: number; newAt: number }[] = []
  const [olds, news] = [lineNumbers(steps, '-'), lineNumbers(steps, '+')]
  for (const [index, { mark }] of steps.entries()) {
    if (mark === ' ') continue
    const from = Math.max(0, index - CONTEXT)
    const to = Math.min(steps.length, index + CONTEXT + 1)
    const last = hunks.at(-1)
    if (last !== undefined && from <= last.to) last.to = to
    else hunks.push({ from, to, oldAt: olds[from] ?? 1, newAt: news[from] ?? 1 })
  }
  return hunks
}

/** Returns the line number of each step in one of the two texts. */
function lineNumbers(steps: readonly DiffLine[], mark: '-' | '+'): readonly number[] {
  let line = 1
  return steps.map((step) => {
    const at = line
    if (step.mark === ' ' || step.mark === mark) line += 1
    return at
  })
}
