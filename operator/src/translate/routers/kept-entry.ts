import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { VALUE_REFERENCE } from '../variables/write-literal.ts'
import { type BuiltEntry, heldEntry } from './build-entry.ts'

/** Returns the entry of a Router whose spec or sources were never read, as the live file has it, with its live values. */
export function keptEntry(router: Router, snapshot: Snapshot): BuiltEntry {
  return wasAccepted(router) ? liveAt(router, snapshot) : liveAt(router, { ...snapshot, liveRouters: new Map() })
}

/** Returns the entry that the live file has at the path of a Router, perhaps another Router's, with its live values. */
export function liveAt(router: Router, { gateway, liveRouters, liveValues }: Snapshot): BuiltEntry {
  const { namespace } = router.metadata
  const { path } = router.spec
  const entry = liveRouters?.get(path) ?? heldEntry(path)
  const names = [...JSON.stringify(entry).matchAll(VALUE_REFERENCE)].map(([, name = '']) => name)
  const values = names.flatMap((name): [string, string][] => {
    const text = liveValues?.get(name)
    return text === undefined ? [] : [[name, text]]
  })
  const tenant = namespace === gateway.metadata.namespace ? {} : { tenant: namespace }
  // If a value was deleted, the entry only holds its path: a pod doesn't load a file while a value of it is missing.
  const isWhole = values.length === names.length
  const kept = isWhole ? { entry, values: new Map(values) } : { entry: heldEntry(path), values: new Map() }
  return { ...kept, ...tenant, sources: [], problems: [], kept: true }
}

/**
 * Returns whether an operator has accepted the Router at its path before. If not, the entry at the path in the file was
 * another Router's.
 */
function wasAccepted({ spec, status }: Router): boolean {
  const accepted = status.conditions?.find(({ type }) => type === 'Accepted')
  if (accepted?.status !== 'True' && accepted?.reason !== 'Unreadable') return false
  return status.url === undefined || URL.parse(status.url)?.pathname === spec.path
}
