import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import { type BuiltEntry, buildEntry } from './build-entry.ts'
import type { EntryMemory } from './entry-memory.ts'

/** The entries of Routers that hold their paths, in their order; what didn't change is as it was. */
export function buildEntries(
  routers: readonly Router[],
  snapshot: Snapshot,
  { masked, memory }: { readonly masked: ReadonlySet<string>; readonly memory: EntryMemory },
): readonly BuiltEntry[] {
  const { gateway } = snapshot
  const recognized = { ...snapshot, sources: memory.recognize(snapshot.sources) }
  const shares = sharesOf(snapshot)
  const built = routers.map((router) => {
    const { uid, generation, namespace } = router.metadata
    const version = `${uid}@${generation} ${gateway.metadata.uid}@${gateway.metadata.generation} ${shares(namespace)}`
    return memory.entry(uid, version, () => buildEntry(router, recognized, masked))
  })
  memory.settle()
  return built
}

/** Which of the shared variables a namespace may name: labels change without anybody's generation. */
function sharesOf({ gateway, namespaces }: Snapshot): (namespace: string) => string {
  const known = new Map<string, string>()
  const own = gateway.metadata.namespace
  return (namespace) => {
    const before = known.get(namespace)
    if (before !== undefined) return before
    const admitted = (gateway.spec.sharedEnv ?? []).map((entry) =>
      Number(admitsNamespace(entry.namespaces, namespace, { own, labels: namespaces })),
    )
    known.set(namespace, admitted.join(''))
    return admitted.join('')
  }
}
