import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import type { Steps } from '../steps.ts'
import { isNeverRead } from '../unreadable.ts'
import { type BuiltEntry, buildEntry } from './build-entry.ts'
import type { EntryMemory } from './entry-memory.ts'
import { keptEntry } from './kept-entry.ts'

/**
 * Returns the entries of Routers that hold their paths, in their order, a Router in each step. Unchanged entries come
 * from memory.
 */
export function* buildEntries(
  routers: readonly Router[],
  snapshot: Snapshot,
  { masked, memory }: { readonly masked: ReadonlySet<string>; readonly memory: EntryMemory },
): Steps<readonly BuiltEntry[]> {
  const shared = versionOf(snapshot)
  const recognized = { ...snapshot, sources: memory.recognize(snapshot.sources) }
  const shares = sharesOf(snapshot)
  const entryOf = (router: Router): BuiltEntry => {
    if (isNeverRead(router)) return keptEntry(router, snapshot)
    const { uid, generation, namespace } = router.metadata
    const version = `${uid}@${generation} ${shares(namespace)} ${shared}`
    return memory.entry(uid, version, () => buildEntry(router, recognized, masked))
  }
  const built: BuiltEntry[] = []
  for (const router of routers) {
    built.push(entryOf(router))
    yield
  }
  memory.settle()
  return built
}

/**
 * Returns the parts of a gateway on which entries depend. The gateway's generation is no substitute: an autoscaler
 * raises it with each change of replicas.
 */
function versionOf({ gateway: { metadata, spec } }: Snapshot): string {
  const { allowedRouters, env, sharedEnv, bus, record } = spec
  return JSON.stringify([metadata.uid, allowedRouters.hosts, env, sharedEnv, bus.tokenSecretRef, record.maskedHeaders])
}

/** Returns which shared variables a namespace may name, as digits. Labels of namespaces change without a generation. */
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
