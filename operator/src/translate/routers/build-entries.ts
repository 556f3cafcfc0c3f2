import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import type { Steps } from '../steps.ts'
import { isNeverRead } from '../unreadable.ts'
import { routerSources, sourceOf } from '../variables/read-key.ts'
import { type BuiltEntry, buildEntry } from './build-entry.ts'
import type { EntryMemory } from './entry-memory.ts'
import { keptEntry } from './kept-entry.ts'
import { isJudged } from './router-status.ts'

export type BuiltEntries = {
  /** In the order of the Routers. */
  readonly built: readonly BuiltEntry[]
  /** Paths of Routers with pending sources. */
  readonly pending: ReadonlySet<string>
}

/**
 * Makes the entries of Routers that hold their paths, a Router in each step. Unchanged entries come from memory. A Router
 * with a pending source keeps its last entry.
 */
export function* buildEntries(
  routers: readonly Router[],
  snapshot: Snapshot,
  { masked, memory }: { readonly masked: ReadonlySet<string>; readonly memory: EntryMemory },
): Steps<BuiltEntries> {
  const shared = versionOf(snapshot)
  const recognized = { ...snapshot, sources: memory.recognize(snapshot.sources) }
  const shares = sharesOf(snapshot)
  const pendingSources = pendingIn(snapshot)
  const isPending = (router: Router) =>
    pendingSources.size > 0 && routerSources(router).some((key) => pendingSources.has(sourceOf(key)))
  const entryOf = (router: Router, waits: boolean): BuiltEntry => {
    if (isNeverRead(router)) return keptEntry(router, snapshot)
    const { uid, generation, namespace } = router.metadata
    const version = { router: `${uid}@${generation}`, gateway: `${shares(namespace)} ${shared}` }
    if (!waits) return memory.entry(uid, version, () => buildEntry(router, recognized, masked))
    const last = memory.last(uid, version)
    if (last !== undefined) return last
    // The operator has just started, and perhaps this generation was never translated.
    if (memory.isNew && !isJudged(router)) return keptEntry(router, snapshot)
    // An entry that the gateway forbids now, or with a value that was rotated, must not stay.
    return buildEntry(router, recognized, masked)
  }
  const built: BuiltEntry[] = []
  const pending = new Set<string>()
  for (const router of routers) {
    const waits = isPending(router)
    if (waits) pending.add(router.spec.path)
    built.push(entryOf(router, waits))
    yield
  }
  memory.settle()
  return { built, pending }
}

function pendingIn({ sources }: Snapshot): ReadonlySet<string> {
  return new Set([...sources].flatMap(([key, { kind }]) => (kind === 'pending' ? [key] : [])))
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
