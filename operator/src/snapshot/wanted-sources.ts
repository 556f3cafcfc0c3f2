import { AUTHORITIES_LIMIT } from '@llm-gateway/conf'
import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import { sourceKey } from '../model/snapshot.ts'
import { allKeys } from '../translate/objects/template-keys.ts'
import { authorityKeys, ingressKeys } from '../translate/objects/tls.ts'
import { webKeys } from '../translate/objects/web/web-keys.ts'
import type { Steps } from '../translate/steps.ts'
import { type KeySource, processorKeys, routerSources } from '../translate/variables/read-key.ts'
import { MAX_ENTRY_CHARACTERS } from '../translate/variables/resolve-field.ts'

/** The place of a Secret or ConfigMap that a resource refers to. */
export type SourceReference = {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly namespace: string
  readonly name: string
}

/** A Secret or ConfigMap that a snapshot needs. */
export type WantedSource = {
  readonly place: SourceReference
  /**
   * The turn in which the youngest of its users was first seen. A reading of an earlier turn doesn't count, even where the
   * watch brought no change.
   */
  readonly since: number
  /** True: the gateway or a Processor names it, so that nothing is decided without it. */
  readonly awaited: boolean
  /** Each key that is named → the most characters of its text that any of its users takes. */
  readonly keys: ReadonlyMap<string, number>
  /** The keys that the gateway itself names. Routers of its namespace take no room from these. */
  readonly own: ReadonlySet<string>
}

type SourceUsers = {
  readonly gateway: LlmGateway
  /** The Routers that hold their path. The others need no source, and anybody may make thousands of them. */
  readonly routers: readonly Router[]
  readonly processors: readonly Processor[]
  /** Returns the turn in which this version of a resource was first seen. */
  readonly firstSeen: (object: LlmGateway | Router | Processor) => number
}

/**
 * The most keys of a namespace that a gateway's resources may name. Further keys count as missing: 5,000 Routers may
 * name 320,000, which would take 200 MB.
 */
export const MOST_KEYS = 32_768
/** A program reads the text itself; the operator only looks whether there is one. */
const EXISTENCE = 0

/** Returns the sources to read by source key, a Router in each step. */
export function* wantedSources(users: SourceUsers): Steps<ReadonlyMap<string, WantedSource>> {
  const { gateway, routers, processors, firstSeen } = users
  const wanted = new Wanted()
  // A new Router may use the gateway's shared variables, so these are read again, too.
  const since = [gateway, ...routers].reduce((last, object) => Math.max(last, firstSeen(object)), 0)
  const own = { since, awaited: true, isOwn: true } as const
  for (const key of allKeys(gateway)) wanted.add(key, { ...own, most: MAX_ENTRY_CHARACTERS })
  for (const key of certificates(gateway)) wanted.add(key, { ...own, most: AUTHORITIES_LIMIT.bytes })
  for (const processor of processors) {
    const use = { since: firstSeen(processor), awaited: true, most: EXISTENCE }
    for (const key of processorKeys(processor)) wanted.add(key, use)
    yield
  }
  for (const router of routers) {
    const use = { since: firstSeen(router), awaited: false, most: MAX_ENTRY_CHARACTERS }
    for (const key of routerSources(router)) wanted.add(key, use)
    yield
  }
  return wanted.sources
}

/** Returns the keys whose texts the operator itself reads as certificates. */
function certificates(gateway: LlmGateway): readonly KeySource[] {
  return [...ingressKeys(gateway), ...authorityKeys(gateway), ...webKeys(gateway)]
}

type Use = Pick<WantedSource, 'since' | 'awaited'> & { readonly most: number; readonly isOwn?: true }
type GrowingSource = WantedSource & {
  since: number
  awaited: boolean
  readonly keys: Map<string, number>
  readonly own: Set<string>
}

class Wanted {
  readonly #sources = new Map<string, GrowingSource>()
  /** Namespace → the number of keys. */
  readonly #counts = new Map<string, number>()

  get sources(): ReadonlyMap<string, WantedSource> {
    return this.#sources
  }

  add({ kind, namespace, reference: { name, key } }: KeySource, { since, awaited, most, isOwn }: Use): void {
    const place = sourceKey(namespace, kind, name)
    const known = this.#sources.get(place)
    const count = this.#counts.get(namespace) ?? 0
    const before = known?.keys.get(key)
    if (before === undefined && count >= MOST_KEYS) return
    if (before === undefined) this.#counts.set(namespace, count + 1)
    const source = known ?? {
      place: { kind, namespace, name },
      since,
      awaited,
      keys: new Map<string, number>(),
      own: new Set<string>(),
    }
    source.since = Math.max(source.since, since)
    source.awaited ||= awaited
    source.keys.set(key, Math.max(before ?? 0, most))
    if (isOwn === true) source.own.add(key)
    this.#sources.set(place, source)
  }
}
