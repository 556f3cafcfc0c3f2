import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import { isStandIn } from '../unreadable.ts'
import { type BuiltEntry, buildEntry } from './build-entry.ts'
import type { EntryMemory } from './entry-memory.ts'
import { keptEntry } from './kept-entry.ts'

/** The entries of Routers that hold their paths, in their order; what didn't change is as it was. */
export function buildEntries(
  routers: readonly Router[],
  snapshot: Snapshot,
  { masked, memory }: { readonly masked: ReadonlySet<string>; readonly memory: EntryMemory },
): readonly BuiltEntry[] {
  const shared = versionOf(snapshot)
  const recognized = { ...snapshot, sources: memory.recognize(snapshot.sources) }
  const shares = sharesOf(snapshot)
  const built = routers.map((router) => {
    if (isStandIn(router)) return keptEntry(router, snapshot)
    const { uid, generation, namespace } = router.metadata
    const version = `${uid}@${generation} ${shares(namespace)} ${shared}`
    return memory.entry(uid, version, () => buildEntry(router, recognized, masked))
  })
  memory.settle()
  return built
}

/** All of a gateway that entries depend on; its generation moves with each replica that an autoscaler wants. */
function versionOf({ gateway: { metadata, spec } }: Snapshot): string {
  const { allowedRouters, env, sharedEnv, bus, record } = spec
  return JSON.stringify([metadata.uid, allowedRouters.hosts, env, sharedEnv, bus.tokenSecretRef, record.maskedHeaders])
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
