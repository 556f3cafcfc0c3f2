import type { Router, SharedEnvEntry } from '@llm-gateway/crds'
import type { Snapshot, Source } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import type { Problem } from '../problem.ts'
import type { Steps } from '../steps.ts'
import { isNeverRead } from '../unreadable.ts'
import { keySourceOf, routerSources, sourceOf } from '../variables/read-key.ts'
import { type BuiltEntry, buildEntry, isUnread, works } from './build-entry.ts'
import type { EntryMemory, LastEntry, MakeEntry } from './entry-memory.ts'
import { keptEntry, liveAt } from './kept-entry.ts'
import { liveSources } from './live-sources.ts'
import { isTranslated } from './router-status.ts'

export type BuiltEntries = {
  /** In the order of the Routers. */
  readonly built: readonly BuiltEntry[]
  /** Paths of Routers with pending sources. */
  readonly pending: ReadonlySet<string>
  /** Paths of Routers with entries of another generation, since their sources can't be read. */
  readonly older: ReadonlySet<string>
}

/**
 * Makes the entries of Routers that hold their paths, a Router in each step. Unchanged entries come from memory. A Router
 * with a source that is pending or can't be read keeps the generation that was translated last.
 */
export function* buildEntries(
  routers: readonly Router[],
  snapshot: Snapshot,
  { masked, memory }: { readonly masked: ReadonlySet<string>; readonly memory: EntryMemory },
): Steps<BuiltEntries> {
  const shared = versionOf(snapshot)
  const recognized = { ...snapshot, sources: memory.recognize(snapshot.sources, snapshot.gateway.spec.sharedEnv) }
  const shares = sharesOf(snapshot)
  const pendingSources = pendingIn(snapshot)
  const isPending = (router: Router) =>
    pendingSources.size > 0 && routerSources(router).some((key) => pendingSources.has(sourceOf(key)))
  const make: MakeEntry = (router, known) =>
    buildEntry(router, known === undefined ? recognized : withKnown(router, recognized, known), masked)
  const entryOf = (router: Router, waits: boolean): LastEntry => {
    if (isNeverRead(router)) return { built: keptEntry(router, snapshot), isOlder: false }
    const gateway = `${shares(router.metadata.namespace)} ${shared}`
    const own = waits ? undefined : memory.entry(router, gateway, make)
    if (own !== undefined && !isUnread(own)) return { built: own, isOlder: false }
    const last = memory.last(router, gateway, make) ?? liveEntry(router, { gateway, make, memory, snapshot })
    return own === undefined ? last : { ...last, built: withFailures(last.built, own.problems) }
  }
  const built: BuiltEntry[] = []
  const pending = new Set<string>()
  const older = new Set<string>()
  for (const router of routers) {
    const waits = isPending(router)
    if (waits) pending.add(router.spec.path)
    const one = entryOf(router, waits)
    if (one.isOlder) older.add(router.spec.path)
    built.push(one.built)
    yield
  }
  memory.settle()
  return { built, pending, older }
}

function pendingIn({ sources }: Snapshot): ReadonlySet<string> {
  return new Set([...sources].flatMap(([key, { kind }]) => (kind === 'pending' ? [key] : [])))
}

type LiveContext = {
  readonly gateway: string
  readonly make: MakeEntry
  readonly memory: EntryMemory
  readonly snapshot: Snapshot
}

/**
 * Returns the entry of a Router with unread sources that this process hasn't translated yet. Its spec counts only where
 * the live file has the same entry: the live value of a source may be too old for another one.
 */
function liveEntry(router: Router, { gateway, make, memory, snapshot }: LiveContext): LastEntry {
  const live = liveAt(router, snapshot)
  const sources = liveSources(router, live, snapshot)
  const built = make(router, { sources })
  if (works(built) && JSON.stringify(built.entry) === JSON.stringify(live.entry)) {
    memory.adopt(router, gateway, { built, sources })
    return { built, isOlder: false }
  }
  if (!works(built) && !isUnread(built) && isTranslated(router)) return { built, isOlder: false }
  const kept = keptEntry(router, snapshot)
  return { built: kept, isOlder: works(kept) }
}

/** Returns an entry that stays while sources of its Router can't be read. */
function withFailures(kept: BuiltEntry, failures: readonly Problem[]): BuiltEntry {
  return works(kept) ? { ...kept, problems: [], readFailures: failures } : { ...kept, problems: failures }
}

/** Returns a snapshot for one Router with known contents of its sources, and with earlier shared variables. */
function withKnown(
  router: Router,
  snapshot: Snapshot,
  { sources, shared }: NonNullable<Parameters<MakeEntry>[1]>,
): Snapshot {
  const { gateway } = snapshot
  const own = { ...snapshot, sources: new Map([...sharedIn(snapshot), ...namedIn(router, snapshot), ...sources]) }
  if (shared === undefined) return own
  return { ...own, gateway: { ...gateway, spec: { ...gateway.spec, sharedEnv: withEarlier(gateway, shared) } } }
}

/** Returns the gateway's shared variables with their earlier values, for the namespaces and hosts that they have now. */
function withEarlier({ spec }: Snapshot['gateway'], before: readonly SharedEnvEntry[]): SharedEnvEntry[] {
  const earlier = new Map(before.map((entry) => [entry.name, entry]))
  return (spec.sharedEnv ?? []).map((entry) => {
    const last = earlier.get(entry.name)
    return last === undefined ? entry : { ...last, namespaces: entry.namespaces, hosts: entry.hosts }
  })
}

function namedIn(router: Router, { sources }: Snapshot): readonly (readonly [string, Source])[] {
  return routerSources(router)
    .map(sourceOf)
    .flatMap((key) => {
      const source = sources.get(key)
      return source === undefined ? [] : [[key, source] as const]
    })
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
