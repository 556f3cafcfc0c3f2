import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import { keyOf, type Stored } from '@llm-gateway/kube'
import type { ClusterState } from '../kube/cluster-state.ts'
import { controllerOf } from '../kube/decode.ts'
import { namesOf } from '../model/names.ts'
import { type Snapshot, type Source, sourceKey } from '../model/snapshot.ts'
import { observeProcessors } from '../observe/observe-processors.ts'
import { allKeys } from '../translate/objects/template-keys.ts'
import { isRequired } from '../translate/processors/call-points.ts'
import type { Translation } from '../translate/translate.ts'
import { isNeverRead } from '../translate/unreadable.ts'
import { type KeySource, processorKeys, routerSources } from '../translate/variables/read-key.ts'
import type { ValuesSecret } from '../write/values-secret.ts'
import type { LiveFile } from './live-file.ts'
import type { SourceReader } from './source-reader.ts'

export type SnapshotTaker = {
  take(gateway: LlmGateway): Promise<Snapshot>
  /** Remembers that the translated configuration was written. */
  wrote(gateway: LlmGateway, translation: Pick<Translation, 'glConfig'>): void
  /** Returns the gateways that depend on a Secret or ConfigMap, by its source key. */
  gatewaysOf(source: string): readonly string[]
  forget(gateway: string): void
}

export type SnapshotTakerOptions = {
  readonly state: ClusterState
  readonly sources: SourceReader
  readonly liveFile: LiveFile
  readonly values: Pick<ValuesSecret, 'read'>
  readonly gatewayClass: string
  readonly defaultImage: string
  readonly operatorNamespace: string
  readonly operatorLabels: Readonly<Record<string, string>>
  /** The role that the operator may bind to accounts of web interfaces. */
  readonly webReadRole: Snapshot['webReadRole']
  /** The lease of this operator; undefined: it runs without one. */
  readonly lease: Snapshot['lease']
}

/** Makes snapshots of one gateway: the caches as plain data, and its Secrets and ConfigMaps, read by name. */
export function createSnapshotTaker({
  state,
  sources,
  liveFile,
  values,
  gatewayClass,
  defaultImage,
  operatorNamespace,
  operatorLabels,
  webReadRole,
  lease,
}: SnapshotTakerOptions): SnapshotTaker {
  /** Gateway → source keys of its last snapshot. */
  const dependencies = new Map<string, ReadonlySet<string>>()
  /** Gateway → `uid@generation` of resources whose sources were read after that generation was seen. */
  const seen = new Map<string, ReadonlySet<string>>()

  return {
    take: async (gateway) => {
      const key = keyOf(gateway.metadata)
      const routers = state.routers.of(key)
      const processors = state.processors.of(key)
      const before = seen.get(key) ?? new Set()
      const wanted = new Map<string, WantedSource>()
      // A new Router may use the gateway's shared variables, so these are read afresh, too.
      const anyNew = [gateway, ...routers].some((object) => !before.has(version(object)))
      for (const one of allKeys(gateway)) addWanted(wanted, one, anyNew)
      for (const router of routers) {
        for (const one of routerSources(router)) addWanted(wanted, one, !before.has(version(router)))
      }
      for (const processor of processors) {
        for (const one of processorKeys(processor)) addWanted(wanted, one, !before.has(version(processor)))
      }
      dependencies.set(key, new Set(wanted.keys()))
      sources.keepOnly(new Set([...dependencies.values()].flatMap((keys) => [...keys])))
      const read = await Promise.all(
        [...wanted].map(
          async ([name, { place, afresh }]): Promise<[string, Source]> => [name, await sources.read(place, afresh)],
        ),
      )
      seen.set(key, new Set([gateway, ...routers, ...processors].map(version)))
      const standsIn = [...routers, ...processors].some(isNeverRead)
      // Required call points stay as the live file has them, since no call may bypass them. Others don't need the file.
      const live = standsIn || processors.some(isRequired) ? await liveFile.read(gateway) : undefined
      const unread = standsIn || read.some(([, { kind }]) => kind === 'failed')
      return {
        gateway,
        otherGateways: [...state.gateways.objects.values()].filter(
          (other) => other.spec.class === gatewayClass && keyOf(other.metadata) !== key,
        ),
        routers,
        processors,
        processorDeployments: deploymentsOf(state, gateway),
        liveCallPoints: live?.callPoints ?? [],
        ...(live === undefined || !standsIn ? {} : { liveRouters: live.routers }),
        namespaces: readableLabels(state.namespaces.objects.values()),
        sources: new Map(read),
        ...(unread ? await liveValues(values, gateway) : {}),
        ...busOf(state, gateway),
        defaultImage,
        operatorNamespace,
        operatorLabels,
        webReadRole,
        lease,
      }
    },
    wrote: (gateway, { glConfig }) => liveFile.wrote(gateway, glConfig),
    gatewaysOf: (source) => [...dependencies].filter(([, keys]) => keys.has(source)).map(([gateway]) => gateway),
    forget: (gateway) => {
      dependencies.delete(gateway)
      seen.delete(gateway)
      liveFile.forget(gateway)
    },
  }
}

/** Returns the labels of namespaces by name. A namespace without readable labels is left out, so no selector admits it. */
function readableLabels(namespaces: Iterable<Stored>): Snapshot['namespaces'] {
  const readable = [...namespaces].filter(({ unreadable }) => unreadable === undefined)
  return new Map(readable.map(({ metadata }) => [metadata.name, metadata.labels]))
}

function busOf({ buses }: ClusterState, { metadata }: LlmGateway): Pick<Snapshot, 'bus'> {
  const bus = buses.get(keyOf({ namespace: metadata.namespace, name: namesOf(metadata).bus }))
  return bus !== undefined && controllerOf(bus) === metadata.uid ? { bus: bus.observed } : {}
}

/**
 * Reads the values that are in use, which stand in for unreadable sources. Rejects where these can't be read either, so
 * that nothing is decided.
 */
async function liveValues(
  values: Pick<ValuesSecret, 'read'>,
  gateway: LlmGateway,
): Promise<Pick<Snapshot, 'liveValues'>> {
  const outcome = await values.read(gateway)
  return outcome.kind === 'found' && outcome.live !== undefined ? { liveValues: outcome.live.values } : {}
}

type WantedSource = {
  readonly place: { readonly kind: 'Secret' | 'ConfigMap'; readonly namespace: string; readonly name: string }
  readonly afresh: boolean
}

function addWanted(
  wanted: Map<string, WantedSource>,
  { kind, namespace, reference: { name } }: KeySource,
  afresh: boolean,
): void {
  const key = sourceKey(namespace, kind, name)
  wanted.set(key, { place: { kind, namespace, name }, afresh: afresh || wanted.get(key)?.afresh === true })
}

function version({ metadata }: LlmGateway | Router | Processor): string {
  return `${metadata.uid}@${metadata.generation}`
}

function deploymentsOf(state: ClusterState, gateway: LlmGateway): Snapshot['processorDeployments'] {
  return new Map(
    [...observeProcessors(state, gateway)].flatMap(([name, { deployment }]) =>
      deployment === undefined ? [] : [[name, deployment] as const],
    ),
  )
}
