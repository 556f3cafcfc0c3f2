import { fitsSecret } from '../fit-capacity.ts'

/** The content of the values Secret in the cluster. */
export type LiveValues = { readonly values: ReadonlyMap<string, string>; readonly revision: number }

/** The content to write; undefined: the Secret has it already. */
export type ValuesWrite = { readonly values: ReadonlyMap<string, string>; readonly revision: number }

/**
 * Returns the values to write before the configuration: the live and the next values together, so that the old
 * configuration still finds its values. A new or changed value raises the revision by one; unneeded values don't.
 */
export function unionValues(live: LiveValues | undefined, next: ReadonlyMap<string, string>): ValuesWrite | undefined {
  if (live === undefined) return { values: next, revision: 1 }
  const changed = [...next].some(([name, text]) => live.values.get(name) !== text)
  if (!changed) return undefined
  const union = new Map([...live.values, ...next])
  // Without a value of its file a pod keeps its previous configuration. If the Secret were too large, every pod would.
  return { values: sorted(fitsSecret(union.values()) ? union : next), revision: live.revision + 1 }
}

/** Returns the values to keep once every pod has the configuration. */
export function prunedValues(live: LiveValues, next: ReadonlyMap<string, string>): ValuesWrite | undefined {
  if ([...live.values.keys()].every((name) => next.has(name))) return undefined
  return { values: next, revision: live.revision }
}

function sorted(values: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...values].sort(([a], [b]) => (a < b ? -1 : 1)))
}
