import { sep } from 'node:path'

/**
 * Returns the files in the order in which they run. Those below `test/` take minutes and come first, so that a stage ends
 * with short files: at its end one long file alone would leave a core without work.
 */
export function inRunOrder(files: readonly string[]): readonly string[] {
  const sorted = files.toSorted()
  const isLong = (file: string): boolean => file.startsWith(`test${sep}`)
  return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
}
