import type { SettingRow } from './schema-rows.ts'

/** Rows whose paths begin with one name: section `limits` has `limits.json_depth` and `limits.drain_ms`. */
export type Section = { readonly name: string; readonly rows: readonly SettingRow[] }

/** A section with more rows is divided at the next part of the paths. */
const MOST_ROWS = 40

/**
 * Divides rows into sections by the first part of their paths. Rows without members come first, in a section that has
 * the name of the parent, empty at the top. The other sections keep the order of the rows.
 */
export function sectionsOf(rows: readonly SettingRow[], parent = ''): readonly Section[] {
  const depth = parent === '' ? 1 : namesOf(parent).length + 1
  const groups = Map.groupBy(rows, ({ path }) => namesOf(path).slice(0, depth).join('.'))
  const named = [...groups].filter(([, members]) => members.some(({ path }) => namesOf(path).length > depth))
  const own = rows.filter((row) => !named.some(([, members]) => members.includes(row)))
  return [
    ...(own.length === 0 ? [] : [{ name: parent, rows: own }]),
    ...named.flatMap(([name, members]) =>
      members.length > MOST_ROWS ? sectionsOf(members, name) : [{ name, rows: members }],
    ),
  ]
}

/** Splits a path: `routers[].outbound.url` has three names. */
function namesOf(path: string): readonly string[] {
  return path.replaceAll('[]', '').split('.')
}
