import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { type BuiltEntry, heldEntry } from './build-entry.ts'

/** The entry of a Router whose spec was never read: as it stands in the live file, with the values that it has there. */
export function keptEntry(router: Router, { gateway, liveRouters, liveValues }: Snapshot): BuiltEntry {
  const { namespace } = router.metadata
  const { path } = router.spec
  const entry = (wasJudged(router) ? liveRouters?.get(path) : undefined) ?? heldEntry(path)
  const names = [...JSON.stringify(entry).matchAll(/\$\{(V_[0-9a-f]{16})\}/g)].map(([, name = '']) => name)
  const values = names.flatMap((name): [string, string][] => {
    const text = liveValues?.get(name)
    return text === undefined ? [] : [[name, text]]
  })
  const tenant = namespace === gateway.metadata.namespace ? {} : { tenant: namespace }
  // Somebody deleted its values: the check of the whole file would wait for them.
  const isWhole = values.length === names.length
  const kept = isWhole ? { entry, values: new Map(values) } : { entry: heldEntry(path), values: new Map() }
  return { ...kept, ...tenant, sources: [], problems: [] }
}

/** One that came after the last look of any operator has nothing in the file: the entry there was somebody else's. */
function wasJudged({ status }: Router): boolean {
  const accepted = status.conditions?.find(({ type }) => type === 'Accepted')
  return accepted?.status === 'True' || accepted?.reason === 'Unreadable'
}
