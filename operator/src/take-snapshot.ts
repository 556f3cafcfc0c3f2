import type { LlmGateway, Router } from '@llm-gateway/crds'
import type { ClusterState } from './kube/cluster-state.ts'
import type { SourceReader } from './kube/source-reader.ts'
import { keyOf } from './kube/store.ts'
import { type Snapshot, type Source, sourceKey } from './snapshot.ts'
import { allKeys } from './translate/objects/template-keys.ts'
import type { KeySource } from './translate/variables/read-key.ts'
import { routerSources } from './translate/variables/referenced-sources.ts'

export type SnapshotTaker = {
  take(gateway: LlmGateway): Promise<Snapshot>
  /** Whether a gateway depends on a Secret or ConfigMap, by its source key. */
  gatewaysOf(source: string): readonly string[]
  forget(gateway: string): void
}

export type SnapshotTakerOptions = {
  readonly state: ClusterState
  readonly sources: SourceReader
  readonly gatewayClass: string
  readonly defaultImage: string
}

/** The caches as plain data for one gateway; what it refers to is read by name. */
export function createSnapshotTaker({
  state,
  sources,
  gatewayClass,
  defaultImage,
}: SnapshotTakerOptions): SnapshotTaker {
  /** Gateway → what it depended on last. */
  const dependencies = new Map<string, ReadonlySet<string>>()
  /** Gateway → `uid@generation` of what was translated with sources read after it was seen. */
  const seen = new Map<string, ReadonlySet<string>>()

  return {
    take: async (gateway) => {
      const key = keyOf(gateway.metadata)
      const routers = routersOf(state, key)
      const before = seen.get(key) ?? new Set()
      const wanted = new Map<string, Wanted>()
      // A new Router may name what the gateway shares, too.
      const anyNew = [gateway, ...routers].some((object) => !before.has(version(object)))
      for (const one of allKeys(gateway)) want(wanted, one, anyNew)
      for (const router of routers) {
        for (const one of routerSources(router)) want(wanted, one, !before.has(version(router)))
      }
      dependencies.set(key, new Set(wanted.keys()))
      sources.keepOnly(new Set([...dependencies.values()].flatMap((keys) => [...keys])))
      const read = await Promise.all(
        [...wanted].map(
          async ([name, { place, afresh }]): Promise<[string, Source]> => [name, await sources.read(place, afresh)],
        ),
      )
      seen.set(key, new Set([gateway, ...routers].map(version)))
      return {
        gateway,
        otherGateways: [...state.gateways.objects.values()].filter(
          (other) => other.spec.class === gatewayClass && keyOf(other.metadata) !== key,
        ),
        routers,
        namespaces: new Map(
          [...state.namespaces.objects.values()].map(({ metadata }) => [metadata.name, metadata.labels]),
        ),
        sources: new Map(read),
        defaultImage,
      }
    },
    gatewaysOf: (source) => [...dependencies].filter(([, keys]) => keys.has(source)).map(([gateway]) => gateway),
    forget: (gateway) => {
      dependencies.delete(gateway)
      seen.delete(gateway)
    },
  }
}

type Wanted = {
  readonly place: { readonly kind: 'Secret' | 'ConfigMap'; readonly namespace: string; readonly name: string }
  readonly afresh: boolean
}

function want(wanted: Map<string, Wanted>, { kind, namespace, reference: { name } }: KeySource, afresh: boolean): void {
  const key = sourceKey(namespace, kind, name)
  wanted.set(key, { place: { kind, namespace, name }, afresh: afresh || wanted.get(key)?.afresh === true })
}

function version({ metadata }: LlmGateway | Router): string {
  return `${metadata.uid}@${metadata.generation}`
}

/** The gateway that a Router names. */
export function gatewayKeyOf({ metadata, spec }: Router): string {
  return keyOf({ namespace: spec.gatewayRef.namespace ?? metadata.namespace, name: spec.gatewayRef.name })
}

export function routersOf({ routers }: ClusterState, gateway: string): readonly Router[] {
  return [...routers.objects.values()].filter((router) => gatewayKeyOf(router) === gateway)
}
