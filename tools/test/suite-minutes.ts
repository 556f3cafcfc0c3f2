import { relative, sep } from 'node:path'

/** The result of one test file. */
export type FileRun = { readonly file: string; readonly tests: number; readonly milliseconds: number }

type Sum = { files: number; tests: number; milliseconds: number }

/** Packages with several suites, whose folders are counted separately. */
const SPLIT = new Set(['test'])
const MS_PER_MINUTE = 60_000

/** Returns a line per folder of suites, the slowest first: files, tests and the sum of the files' minutes. */
export function suiteMinutes(runs: readonly FileRun[], root: string): readonly string[] {
  const sums = new Map<string, Sum>()
  for (const { file, tests, milliseconds } of runs) {
    const folder = folderOf(relative(root, file))
    const sum = sums.get(folder) ?? { files: 0, tests: 0, milliseconds: 0 }
    sums.set(folder, sum)
    sum.files += 1
    sum.tests += tests
    sum.milliseconds += milliseconds
  }
  const sorted = [...sums].sort(([, one], [, other]) => other.milliseconds - one.milliseconds)
  return sorted.map(([folder, { files, tests, milliseconds }]) => {
    const minutes = (milliseconds / MS_PER_MINUTE).toFixed(1)
    return `${folder.padEnd(20)} ${count(files, 'file')} ${count(tests, 'test')} ${minutes.padStart(6)} min`
  })
}

function folderOf(path: string): string {
  const [first = '', second = '', ...rest] = path.split(sep)
  return SPLIT.has(first) && rest.length > 0 ? `${first}/${second}` : first
}

function count(number: number, noun: string): string {
  return `${String(number).padStart(5)} ${(number === 1 ? noun : `${noun}s`).padEnd(noun.length + 1)}`
}
