import type { LlmGateway } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import type { StreamCopies } from './bus/stream-copies.ts'
import type { Claims } from './claims/claims.ts'
import type { Work } from './controller/work-queue.ts'
import type { GatewayDelivery } from './delivery/gateway-delivery.ts'
import type { ClusterState } from './kube/cluster-state.ts'
import { namesOf } from './model/names.ts'
import type { Observation, Snapshot } from './model/snapshot.ts'
import { isRolledOut } from './observe/is-rolled-out.ts'
import { observeGateway } from './observe/observe-gateway.ts'
import { observeProcessors } from './observe/observe-processors.ts'
import type { SnapshotTaker } from './snapshot/take-snapshot.ts'
import { orphansOf, type StatusWriter } from './status/write-statuses.ts'
import { unavailableWorkloads } from './translate/gateway/unavailable-workloads.ts'
import { unreadableGatewayStatuses } from './translate/gateway/unreadable-gateway.ts'
import { inTurns } from './translate/steps.ts'
import { type Translation, Translator } from './translate/translate.ts'
import { isNeverRead } from './translate/unreadable.ts'
import type { ConfigWriteResult, ObjectsWriteResult, Writer } from './write/write-translation.ts'

export type ReconcileOptions = {
  readonly state: ClusterState
  readonly snapshots: SnapshotTaker
  readonly writer: Writer
  readonly statuses: StatusWriter
  readonly deliveryOf: (gateway: string) => GatewayDelivery
  readonly claims: Claims
  /** Unset where the operator doesn't reach the buses. */
  readonly streamCopies: StreamCopies | undefined
  readonly forget: (gateway: string) => void
  readonly gatewayClass: string
  /** RFC 3339, whole seconds. */
  readonly now: () => string
}

/** A pass with a newer edit behind it writes statuses only when the last write is this old. */
const STATUS_EVERY_MS = 2_000
/** The lag from which a pod counts as lagging. The gateway is reconciled again then. */
const LAG_COUNTS_MS = 30_000
/** A new bus has no stream yet, so its copies are looked at again after this time. */
const COPIES_AGAIN_MS = 30_000
/** Time until the next try after an unreadable source, a name conflict or a failed write. */
const RETRY_MS = 10_000

/** A source that found no room in its namespace is read again after this time: another gateway may have freed some. */
const ROOM_AGAIN_MS = 60_000

/** A gateway's written configuration and objects, kept until its statuses are written. */
type Pass = {
  readonly gateway: LlmGateway
  readonly snapshot: Snapshot
  readonly translation: Translation
  readonly config: ConfigWriteResult
  readonly objects: ObjectsWriteResult
}

/** Reconciles one gateway. Resolves with the ms after which to reconcile again; undefined: when something changes. */
export type Reconcile = (work: Pick<Work, 'key' | 'superseded'>) => Promise<number | undefined>

/** Returns the reconciliation of one gateway: snapshot → translate → values → configuration → pods → status. */
export function createReconcile(options: ReconcileOptions): Reconcile {
  const { state, snapshots, writer, statuses, deliveryOf, claims, streamCopies, forget, gatewayClass, now } = options
  const translator = new Translator()
  /** Gateway → its pass that waits for the pods' answers. No worker is held meanwhile. */
  const passes = new Map<string, Pass>()

  const forgetAll = (key: string): void => {
    translator.forget(key)
    passes.delete(key)
    forget(key)
  }
  const writeAll = async (key: string, gateway: LlmGateway): Promise<Pass> => {
    const delivery = deliveryOf(key)
    const snapshot = await snapshots.take(gateway)
    const translation = await translator.translate(key, snapshot)
    const config = await writeConfig(writer, snapshot, translation)
    if (config.configured) snapshots.wrote(gateway, translation)
    if (config.configured) delivery.aim({ ...translation, valuesRevision: config.valuesRevision })
    else delivery.look(translation)
    const objects = translation.frozen ? NOTHING : await writer.writeObjects(gateway, translation)
    return { gateway, snapshot, translation, config, objects }
  }
  const finish = async (key: string, pass: Pass, superseded: AbortSignal): Promise<number | undefined> => {
    const { gateway, snapshot, translation, config, objects } = pass
    const delivery = deliveryOf(key)
    // A newer edit's pass follows and writes the statuses. This pass writes them only if the last write is too old.
    if (superseded.aborted && statuses.isRecent(key, STATUS_EVERY_MS)) return undefined
    const isWritten = config.configured && !translation.frozen && objects.complete
    const rolledOut = isRolledOut(gateway, translation, state)
    const moment = { settled: delivery.settled, everywhere: delivery.everywhere, rolledOut }
    const pruned = isWritten ? await writer.prune(gateway, translation, moment) : undefined
    const copies = streamCopies?.of(gateway)
    const isShort =
      streamCopies !== undefined && isCluster(gateway) && (copies ?? 0) < gateway.spec.bus.managed.replicas
    const observation: Observation = {
      now: now(),
      rolledOut,
      pods: delivery.observed(),
      ...observeGateway(state, gateway),
      copies,
      processors: observeProcessors(state, gateway),
      valuesRevision: config.valuesRevision,
      nameConflicts: [...config.nameConflicts, ...objects.nameConflicts],
      applyFailures: [...config.failures, ...objects.failures, ...(pruned?.failures ?? [])],
    }
    const judged = await inTurns(translation.statusSteps(observation))
    const refusedMs = await statuses.write(newestOf(state, gateway), judged, superseded)
    passes.delete(key)
    const sources = [...snapshot.sources.values()]
    const unread = sources.some(({ kind }) => kind === 'failed')
    const isCrowded = sources.some((source) => source.kind === 'found' && source.crowdedOut === true)
    const isRefused = unread || observation.nameConflicts.length + observation.applyFailures.length > 0
    return earliest(
      delivery.settled ? undefined : LAG_COUNTS_MS,
      pruned?.againMs,
      unavailableWorkloads(observation).againMs,
      isRefused ? RETRY_MS : undefined,
      isCrowded ? ROOM_AGAIN_MS : undefined,
      isShort ? COPIES_AGAIN_MS : undefined,
      refusedMs,
    )
  }
  return async ({ key, superseded }) => {
    const found = state.gateways.get(key)
    if (found === undefined || found.spec.class !== gatewayClass) {
      forgetAll(key)
      claims.forget(key)
      return found === undefined ? statuses.writeOrphans(key, orphansOf(state, key, now())) : undefined
    }
    const elsewhereMs = await claims.claim(found)
    if (elsewhereMs !== undefined) {
      forgetAll(key)
      return elsewhereMs
    }
    // The claim may have written to the LLMGateway, so its newest version is taken.
    const gateway = state.gateways.get(key) ?? found
    if (isNeverRead(gateway)) {
      forgetAll(key)
      const named = { gateway, routers: state.routers.of(key), processors: state.processors.of(key) }
      return statuses.write(gateway, unreadableGatewayStatuses(named, now()), superseded)
    }
    const delivery = deliveryOf(key)
    const { holdMs } = delivery
    const waiting = passes.get(key)
    if (holdMs > 0) {
      const isDue = waiting !== undefined && delivery.patienceMs === 0 && isCurrent(state, waiting)
      return earliest(holdMs, isDue ? await finish(key, waiting, superseded) : undefined)
    }
    const pass = await writeAll(key, gateway)
    passes.set(key, pass)
    return delivery.patienceMs > 0 ? delivery.patienceMs : finish(key, pass, superseded)
  }
}

/** Returns the newest version of a gateway. A new gateway of its name is another one, and was not judged. */
function newestOf({ gateways }: ClusterState, gateway: LlmGateway): LlmGateway {
  const newest = gateways.get(keyOf(gateway.metadata))
  return newest?.metadata.uid === gateway.metadata.uid ? newest : gateway
}

/** Returns whether the gateway, its Routers and its Processors are unchanged since they were translated. */
function isCurrent(state: ClusterState, { gateway, snapshot }: Pass): boolean {
  const key = keyOf(gateway.metadata)
  const now: readonly unknown[] = [state.gateways.get(key), ...state.routers.of(key), ...state.processors.of(key)]
  const then: readonly unknown[] = [gateway, ...snapshot.routers, ...snapshot.processors]
  return now.length === then.length && now.every((one, index) => one === then[index])
}

function isCluster({ spec: { bus } }: LlmGateway): boolean {
  return bus.type === 'Managed' && bus.managed.replicas > 1
}

function earliest(...waits: readonly (number | undefined)[]): number | undefined {
  const some = waits.filter((ms) => ms !== undefined)
  return some.length === 0 ? undefined : Math.min(...some)
}

const NOTHING: ObjectsWriteResult = { nameConflicts: [], failures: [], complete: false }

async function writeConfig(
  writer: Writer,
  { gateway, unreadValues: code }: Snapshot,
  translation: Translation,
): Promise<ConfigWriteResult> {
  if (!translation.frozen && code === undefined) return writer.writeConfig(gateway, translation)
  const values = { kind: 'Secret', name: namesOf(gateway.metadata).values }
  // Without the values in use, working Routers would only hold their paths in the file.
  const failures = translation.frozen || code === undefined ? [] : [{ ...values, code }]
  return { ...NOTHING, failures, configured: false, valuesRevision: await writer.revision(gateway) }
}
