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
  /** True: it is read again even where the watch brought no change. */
  readonly afresh: boolean
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
  readonly isNew: (object: LlmGateway | Router | Processor) => boolean
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
  const { gateway, routers, processors, isNew } = users
  const wanted = new Wanted()
  // A new Router may use the gateway's shared variables, so these are read afresh, too.
  const afresh = [gateway, ...routers].some(isNew)
  for (const key of allKeys(gateway)) wanted.add(key, { afresh, most: MAX_ENTRY_CHARACTERS, isOwn: true })
  for (const key of certificates(gateway)) wanted.add(key, { afresh, most: AUTHORITIES_LIMIT.bytes, isOwn: true })
  for (const processor of processors) {
    for (const key of processorKeys(processor)) wanted.add(key, { afresh: isNew(processor), most: EXISTENCE })
    yield
  }
  for (const router of routers) {
    for (const key of routerSources(router)) wanted.add(key, { afresh: isNew(router), most: MAX_ENTRY_CHARACTERS })
    yield
  }
  return wanted.sources
}

/** Returns the keys whose texts the operator itself reads as certificates. */
function certificates(gateway: LlmGateway): readonly KeySource[] {
  return [...ingressKeys(gateway), ...authorityKeys(gateway), ...webKeys(gateway)]
}

type Use = { readonly afresh: boolean; readonly most: number; readonly isOwn?: true }
type GrowingSource = WantedSource & {
  afresh: boolean
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

  add({ kind, namespace, reference: { name, key } }: KeySource, { afresh, most, isOwn }: Use): void {
    const place = sourceKey(namespace, kind, name)
    const known = this.#sources.get(place)
    const count = this.#counts.get(namespace) ?? 0
    const before = known?.keys.get(key)
    if (before === undefined && count >= MOST_KEYS) return
    if (before === undefined) this.#counts.set(namespace, count + 1)
    const source = known ?? {
      place: { kind, namespace, name },
      afresh,
      keys: new Map<string, number>(),
      own: new Set<string>(),
    }
    source.afresh ||= afresh
    source.keys.set(key, Math.max(before ?? 0, most))
    if (isOwn === true) source.own.add(key)
    this.#sources.set(place, source)
  }
}
