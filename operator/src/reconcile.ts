import type { LlmGateway } from '@llm-gateway/crds'
import type { Work } from './controller/work-queue.ts'
import type { GatewayDelivery } from './delivery/gateway-delivery.ts'
import type { ClusterState } from './kube/cluster-state.ts'
import { observeGateway } from './observe-gateway.ts'
import { orphansOf } from './orphans-of.ts'
import { observeProcessors, processorsOf } from './processors-of.ts'
import { isRolledOut } from './prune/is-rolled-out.ts'
import type { Observation } from './snapshot.ts'
import { routersOf, type SnapshotTaker } from './take-snapshot.ts'
import { missedSinks } from './translate/gateway/missed-sinks.ts'
import { unreadStatuses } from './translate/gateway/unread-gateway.ts'
import type { Translation } from './translate/translate.ts'
import { isStandIn } from './translate/unreadable.ts'
import { Translator } from './translator.ts'
import type { StatusWriter } from './write-statuses.ts'
import type { Writer, Written, WrittenObjects } from './write-translation.ts'

export type ReconcileOptions = {
  readonly state: ClusterState
  readonly snapshots: SnapshotTaker
  readonly writer: Writer
  readonly statuses: StatusWriter
  readonly deliveryOf: (gateway: string) => GatewayDelivery
  readonly forget: (gateway: string) => void
  /** Looks again after so many ms. */
  readonly again: (gateway: string, ms: number) => void
  readonly gatewayClass: string
  /** RFC 3339, whole seconds. */
  readonly now: () => string
}

/** Pods' answers are waited for this long before a status is written (kubernetes, 4). */
const SETTLE_MS = 2_000
/** A pod that lags counts from here on, so the status is looked at again then. */
const LAG_COUNTS_MS = 30_000
/** What was refused, unreadable or in the way may be so no more. */
const RETRY_MS = 10_000

/** One gateway brought to what its resources say: snapshot → translate → values → configuration → pods → status. */
export function createReconcile(options: ReconcileOptions): (work: Pick<Work, 'key' | 'superseded'>) => Promise<void> {
  const { state, snapshots, writer, statuses, deliveryOf, forget, again, gatewayClass, now } = options
  const translator = new Translator()
  return async ({ key, superseded }) => {
    const gateway = state.gateways.get(key)
    if (gateway === undefined || gateway.spec.class !== gatewayClass) {
      translator.forget(key)
      forget(key)
      return gateway === undefined ? statuses.writeOrphans(orphansOf(state, key, now())) : undefined
    }
    if (isStandIn(gateway)) {
      translator.forget(key)
      forget(key)
      const named = { gateway, routers: routersOf(state, key), processors: processorsOf(state, key) }
      return statuses.write(gateway, unreadStatuses(named, now()), superseded)
    }
    const delivery = deliveryOf(key)
    if (delivery.holdMs > 0) return again(key, delivery.holdMs)
    const snapshot = await snapshots.take(gateway)
    const translation = translator.translate(key, snapshot)
    const config = await writeConfig(writer, gateway, translation)
    if (config.configured) snapshots.wrote(gateway, translation)
    if (config.configured) delivery.aim({ ...translation, valuesRevision: config.valuesRevision })
    const objects = translation.frozen ? NOTHING : await writer.writeObjects(gateway, translation)
    await delivery.settle({ timeoutMs: SETTLE_MS, signal: superseded })
    // Somebody edits on: one status for all of it, but at least one every two seconds.
    if (superseded.aborted && statuses.isRecent(key, SETTLE_MS)) return
    const isWritten = config.configured && !translation.frozen && objects.complete
    const rolledOut = isRolledOut(gateway, translation, state)
    const moment = { settled: delivery.settled, everywhere: delivery.everywhere, rolledOut }
    const pruned = isWritten ? await writer.prune(gateway, translation, moment) : undefined

    const observation: Observation = {
      now: now(),
      pods: delivery.observed(),
      ...observeGateway(state, gateway),
      processors: observeProcessors(state, gateway),
      valuesRevision: config.valuesRevision,
      nameConflicts: [...config.nameConflicts, ...objects.nameConflicts],
      applyFailures: [...config.failures, ...objects.failures, ...(pruned?.failures ?? [])],
    }
    const said = translation.statuses(observation)
    await statuses.write(state.gateways.get(key) ?? gateway, said, superseded)
    if (!delivery.settled) again(key, LAG_COUNTS_MS)
    if (pruned?.againMs !== undefined) again(key, pruned.againMs)
    const { againMs: sinksMs } = missedSinks(observation)
    if (sinksMs !== undefined) again(key, sinksMs)
    const unread = [...snapshot.sources.values()].some(({ kind }) => kind === 'failed')
    if (unread || observation.nameConflicts.length + observation.applyFailures.length > 0) again(key, RETRY_MS)
  }
}

const NOTHING: WrittenObjects = { nameConflicts: [], failures: [], complete: false }

async function writeConfig(writer: Writer, gateway: LlmGateway, translation: Translation): Promise<Written> {
  if (!translation.frozen) return writer.writeConfig(gateway, translation)
  return { ...NOTHING, configured: false, valuesRevision: await writer.revision(gateway) }
}
