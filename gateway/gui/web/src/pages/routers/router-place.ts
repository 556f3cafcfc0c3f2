import { textOf, valueAt } from '../../json-value.ts'

/** A router by its path. Of several routers with one path, `nth` is the number of those before it. */
export type RouterPlace = { readonly path: string; readonly nth?: number }

/** @param entries routers with their `path`, in the file's order */
export function routerPlace(entries: readonly unknown[], index: number): RouterPlace {
  const path = pathOf(entries[index])
  const nth = entries.slice(0, index).filter((entry) => pathOf(entry) === path).length
  return nth === 0 ? { path } : { path, nth }
}

/** Returns the index of a router; -1 if it no longer exists. */
export function routerIndex(entries: readonly unknown[], { path, nth = 0 }: RouterPlace): number {
  const found = entries.flatMap((entry, index) => (pathOf(entry) === path ? [index] : []))
  return found[nth] ?? -1
}

/** Reads the router from the page's address. */
export function readRouterPlace(search: Readonly<Record<string, unknown>>): RouterPlace {
  const path = textOf(search.path) ?? ''
  const { nth } = search
  return typeof nth === 'number' && Number.isSafeInteger(nth) && nth > 0 ? { path, nth } : { path }
}

function pathOf(entry: unknown): string {
  return textOf(valueAt(entry, ['path'])) ?? ''
}
