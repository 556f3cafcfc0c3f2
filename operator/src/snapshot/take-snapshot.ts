import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import { keyOf, type Stored } from '@llm-gateway/kube'
import type { ClusterState } from '../kube/cluster-state.ts'
import { controllerOf } from '../kube/decode.ts'
import { namesOf } from '../model/names.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { observeProcessors } from '../observe/observe-processors.ts'
import { acceptProcessors } from '../translate/processors/accept-processors.ts'
import { isRequired } from '../translate/processors/call-points.ts'
import { acceptRouters } from '../translate/routers/accept-routers.ts'
import { inTurns } from '../translate/steps.ts'
import type { Translation } from '../translate/translate.ts'
import { isNeverRead } from '../translate/unreadable.ts'
import type { ValuesSecret } from '../write/values-secret.ts'
import type { LiveFile } from './live-file.ts'
import type { SourceReader } from './source-reader.ts'
import { wantedSources } from './wanted-sources.ts'

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
  /** Gateway → the sources of its last snapshot, by their keys. */
  const dependencies = new Map<string, ReadonlyMap<string, unknown>>()
  /** Gateway → its last turn, and `uid@generation` of each resource → the turn in which that generation was first seen. */
  const turns = new Map<string, { readonly turn: number; readonly seen: ReadonlyMap<string, number> }>()

  return {
    take: async (gateway) => {
      const key = keyOf(gateway.metadata)
      const routers = state.routers.of(key)
      const processors = state.processors.of(key)
      const last = turns.get(key)
      const turn = (last?.turn ?? 0) + 1
      const namespaces = readableLabels(state.namespaces.objects.values())
      const accepted = (await inTurns(acceptRouters({ gateway, routers, namespaces })))
        .filter(({ reason }) => reason === 'Accepted')
        .map(({ router }) => router)
      const firstSeen = (object: LlmGateway | Router | Processor) => last?.seen.get(version(object)) ?? turn
      // The sources of a Router that isn't accepted aren't read, so it counts as new once it is accepted.
      const users = [gateway, ...accepted, ...processors]
      turns.set(key, { turn, seen: new Map(users.map((object) => [version(object), firstSeen(object)])) })
      const wanted = await inTurns(wantedSources({ gateway, routers: accepted, processors, firstSeen }))
      dependencies.set(key, wanted)
      const read = await sources.read(key, wanted, turn)
      const kinds = new Set([...read.values()].map(({ kind }) => kind))
      const isUnread = kinds.has('pending') || kinds.has('failed')
      const standsIn = [...routers, ...processors].some(isNeverRead)
      // Required call points stay as the live file has them, since no call may bypass them, also where the refused edit
      // no longer asks for it. Others don't need the file.
      const isLive =
        standsIn ||
        isUnread ||
        processors.some(isRequired) ||
        (await inTurns(acceptProcessors(processors))).some(({ reason }) => reason !== 'Accepted')
      const live = isLive ? await liveFile.read(gateway) : undefined
      return {
        gateway,
        otherGateways: [...state.gateways.objects.values()].filter(
          (other) => other.spec.class === gatewayClass && keyOf(other.metadata) !== key,
        ),
        routers,
        processors,
        processorDeployments: deploymentsOf(state, gateway),
        liveCallPoints: live?.callPoints ?? [],
        ...(live !== undefined && (standsIn || isUnread) ? { liveRouters: live.routers } : {}),
        namespaces,
        sources: read,
        ...(standsIn || isUnread ? await liveValues(values, gateway) : {}),
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
      turns.delete(gateway)
      sources.forget(gateway)
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
 * Reads the values that are in use, which stand in for unreadable sources. Rejects where the API server can't be reached,
 * so that nothing is decided.
 */
async function liveValues(
  values: Pick<ValuesSecret, 'read'>,
  gateway: LlmGateway,
): Promise<Pick<Snapshot, 'liveValues' | 'unreadValues'>> {
  const outcome = await values.read(gateway)
  if (outcome.kind === 'refused') return { unreadValues: outcome.code }
  return outcome.kind === 'found' && outcome.live !== undefined ? { liveValues: outcome.live.values } : {}
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
