import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import type { Steps } from '../steps.ts'
import { isNeverRead } from '../unreadable.ts'
import { keySourceOf, routerSources, sourceOf } from '../variables/read-key.ts'
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
 * with a pending source keeps the generation that was translated last.
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
    const gateway = `${shares(router.metadata.namespace)} ${shared}`
    const make = (sources?: Snapshot['sources']) =>
      buildEntry(router, sources === undefined ? recognized : { ...recognized, sources }, masked)
    if (!waits) return memory.entry(router, gateway, make)
    const again = (last: Router, own: Snapshot['sources']) =>
      buildEntry(last, { ...recognized, sources: new Map([...sharedIn(recognized), ...own]) }, masked)
    return memory.last(router, gateway, again) ?? unremembered(router, buildEntry(router, recognized, masked), snapshot)
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
 * Returns the entry of a Router with a pending source that this process hasn't translated yet. Its spec counts only where
 * the live file has the same entry: the live value of the source may be too old for another one.
 */
function unremembered(router: Router, built: BuiltEntry, snapshot: Snapshot): BuiltEntry {
  const kept = keptEntry(router, snapshot)
  if (!('disabled' in built.entry)) return JSON.stringify(built.entry) === JSON.stringify(kept.entry) ? built : kept
  const isUnread = built.problems.length > 0 && built.problems.every(({ reason }) => reason === 'ReadFailed')
  return isJudged(router) && !isUnread ? built : kept
}

/** Returns the sources of the variables that a gateway shares. */
function sharedIn({ gateway, sources }: Snapshot): Snapshot['sources'] {
  const keys = (gateway.spec.sharedEnv ?? []).flatMap((entry) => keySourceOf(entry, gateway.metadata.namespace) ?? [])
  return new Map(
    keys.map(sourceOf).flatMap((key) => {
      const source = sources.get(key)
      return source === undefined ? [] : [[key, source]]
    }),
  )
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
