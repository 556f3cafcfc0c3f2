import { fitsSecret } from '../fit-capacity.ts'

/** The values Secret as it stands. */
export type LiveValues = { readonly values: ReadonlyMap<string, string>; readonly revision: number }

/** What is to be written; undefined: it stands there already. */
export type ValuesWrite = { readonly values: ReadonlyMap<string, string>; readonly revision: number }

/**
 * Before the configuration: live and next values together, so that the old configuration still finds its own. A new or
 * changed value counts one revision up; values that are only no longer needed don't.
 */
export function unionValues(live: LiveValues | undefined, next: ReadonlyMap<string, string>): ValuesWrite | undefined {
  if (live === undefined) return { values: next, revision: 1 }
  const changed = [...next].some(([name, text]) => live.values.get(name) !== text)
  if (!changed) return undefined
  const union = new Map([...live.values, ...next])
  // A pod that misses a value of its file keeps what it runs; a Secret that is too large keeps everybody from the new one.
  return { values: sorted(fitsSecret(union.values()) ? union : next), revision: live.revision + 1 }
}

/** After every pod has the configuration: only what it needs. */
export function prunedValues(live: LiveValues, next: ReadonlyMap<string, string>): ValuesWrite | undefined {
  if ([...live.values.keys()].every((name) => next.has(name))) return undefined
  return { values: next, revision: live.revision }
}

function sorted(values: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...values].sort(([a], [b]) => (a < b ? -1 : 1)))
}
