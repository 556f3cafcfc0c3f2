import { textOf, valueAt } from '../../json-value.ts'

/** Returns a similar path that no router has yet: `/x/` → `/x-2/`. */
export function freePath(path: string, entries: readonly unknown[]): string {
  const taken = new Set(entries.map((entry) => textOf(valueAt(entry, ['path']))))
  const stem = path.replace(/\/$/, '')
  for (let count = 2; ; count += 1) {
    const found = `${stem}-${count}/`
    if (!taken.has(found)) return found
  }
}
