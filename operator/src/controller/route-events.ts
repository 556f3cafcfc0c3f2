import { isDeepStrictEqual } from 'node:util'
import type { Router } from '@llm-gateway/crds'
import { keyOf, type Stored } from '@llm-gateway/kube'
import type { ClusterState } from '../kube/cluster-state.ts'
import { controllerOf } from '../kube/decode.ts'
import { gatewayKeyOf, gatewayKeyOfPod, gatewayKeyOfProcessor } from '../model/gateway-key.ts'
import { INSTANCE_LABEL } from '../model/kube-object.ts'
import { sourceKey } from '../model/snapshot.ts'
import type { SnapshotTaker } from '../snapshot/take-snapshot.ts'
import { hasRoom } from '../translate/routers/no-room.ts'

export type EventRoutes = {
  /** Adds a gateway that was edited: its running reconciliation is out of date. */
  readonly add: (gateway: string) => void
  /** Adds a gateway whose objects changed, perhaps by our own writes: its running reconciliation may end first. */
  readonly addBehind: (gateway: string) => void
  readonly podsChanged: (gateway: string) => void
  readonly snapshots: SnapshotTaker
}

/**
 * Turns each change in the caches into the keys of the gateways that it concerns. Our own status writes concern none.
 */
export function routeEvents(state: ClusterState, { add, addBehind, podsChanged, snapshots }: EventRoutes): void {
  state.gateways.onChange(({ key, before, after, own }) => {
    // Another installation looks after the gateway now.
    if (own !== true && !isDeepStrictEqual(before?.status.operator, after?.status.operator)) addBehind(key)
    if (!isEdit(before, after)) return
    add(key)
    // Another gateway's gatewayId or bus may be free now, or taken.
    for (const other of state.gateways.objects.keys()) if (other !== key) addBehind(other)
  })
  state.routers.onChange(({ before, after }) => {
    if (!isRouterEdit(before, after)) return
    // Each key once: a second call would supersede the work that the first began.
    const keys = [before, after].flatMap((router) => (router === undefined ? [] : [gatewayKeyOf(router)]))
    for (const key of new Set(keys)) add(key)
  })
  state.processors.onChange(({ before, after }) => {
    const processor = after ?? before
    if (processor !== undefined && isEdit(before, after)) add(gatewayKeyOfProcessor(processor))
  })
  state.processorPods.onChange(({ before, after }) => {
    const pod = after ?? before
    if (pod === undefined || before?.failure === after?.failure) return
    addBehind(keyOf({ namespace: pod.metadata.namespace, name: pod.metadata.labels[INSTANCE_LABEL] ?? '' }))
  })
  state.namespaces.onChange(({ before, after }) => {
    const facts = (one: Stored | undefined) => one && [one.metadata.labels, one.unreadable]
    if (isDeepStrictEqual(facts(before), facts(after))) return
    for (const key of state.gateways.objects.keys()) add(key)
  })
  state.pods.onChange(({ before, after }) => {
    const pod = after ?? before
    if (pod === undefined) return
    const facts = (one: typeof pod | undefined) =>
      one && [one.ready, one.running, one.address, one.failure, one.metadata.uid, one.metadata.deletionTimestamp]
    if (isDeepStrictEqual(facts(before), facts(after))) return
    const key = gatewayKeyOfPod(pod)
    podsChanged(key)
    addBehind(key)
  })
  // Pods, ReplicaSets and Deployments are lists of their own, so a pod may be seen before its owners.
  const ownersChanged = ({ metadata: { namespace, labels } }: Stored): void => {
    const key = keyOf({ namespace, name: labels[INSTANCE_LABEL] ?? '' })
    if (!state.gateways.objects.has(key)) return
    podsChanged(key)
    addBehind(key)
  }
  state.replicaSets.onChange(({ before, after }) => {
    const set = after ?? before
    if (set !== undefined && !isSameOwner(before, after)) ownersChanged(set)
  })
  state.deployments.onChange(({ before, after }) => {
    const deployment = after ?? before
    if (deployment !== undefined && !isSameOwner(before, after)) ownersChanged(deployment)
    if (deployment === undefined || isDeepStrictEqual(before?.observed, after?.observed)) return
    const owner = controllerOf(deployment)
    for (const { metadata } of state.gateways.objects.values()) if (metadata.uid === owner) addBehind(keyOf(metadata))
  })
  state.buses.onChange(({ before, after }) => {
    if (after === undefined || isDeepStrictEqual(before?.observed, after.observed)) return
    const owner = controllerOf(after)
    for (const { metadata } of state.gateways.objects.values()) if (metadata.uid === owner) addBehind(keyOf(metadata))
  })
  for (const [kind, store] of state.metadata) {
    store.onChange(({ before, after, own }) => {
      const object = after ?? before
      if (object === undefined) return
      const owner = own === true ? undefined : controllerOf(object)
      for (const { metadata } of state.gateways.objects.values()) if (metadata.uid === owner) addBehind(keyOf(metadata))
      if (kind !== 'Secret' && kind !== 'ConfigMap') return
      const { namespace, name } = object.metadata
      for (const gateway of snapshots.gatewaysOf(sourceKey(namespace, kind, name))) add(gateway)
    })
  }
}

function isSameOwner(before: Stored | undefined, after: Stored | undefined): boolean {
  if (before === undefined || after === undefined) return false
  return before.metadata.uid === after.metadata.uid && controllerOf(before) === controllerOf(after)
}

/** Returns whether a Router was edited, or found room in the caches, or lost it. */
export function isRouterEdit(before: Router | undefined, after: Router | undefined): boolean {
  const room = (one: Router | undefined) => one !== undefined && hasRoom(one)
  return isEdit(before, after) || room(before) !== room(after)
}

/** The generation moves only with spec. Annotations can pause a gateway, and a deletion timestamp ends an object. */
function isEdit(before: Stored | undefined, after: Stored | undefined): boolean {
  const facts = (one: Stored | undefined) =>
    one && [
      one.metadata.uid,
      one.metadata.generation,
      one.metadata.annotations,
      one.metadata.deletionTimestamp,
      one.unreadable,
    ]
  return !isDeepStrictEqual(facts(before), facts(after))
}
