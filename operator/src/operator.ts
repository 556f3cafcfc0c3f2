import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@llm-gateway/conf'
import { API_VERSION, CONFIG_ANNOTATION } from '@llm-gateway/crds'
import { createKubeClient, createTransport, type KubeAccess, keyOf, Store, TransportError } from '@llm-gateway/kube'
import { createSinkConsumers } from './bus/sink-consumers.ts'
import { createStreamCopies } from './bus/stream-copies.ts'
import { type ClaimChange, type ClaimTimings, createClaims } from './claims/claims.ts'
import type { LeaseReference } from './claims/lease-life.ts'
import { routeEvents } from './controller/route-events.ts'
import { runController } from './controller/run-controller.ts'
import { WorkQueue } from './controller/work-queue.ts'
import { createConcurrencyLimit } from './delivery/concurrency-limit.ts'
import { GatewayDelivery } from './delivery/gateway-delivery.ts'
import { createEvents, type Events, type EventType } from './events/events.ts'
import { failureOf } from './failure-of.ts'
import { createAskPod, type PodAccess } from './kube/ask-pod.ts'
import { type WatchTimings, watchCluster } from './kube/cluster-state.ts'
import { decodePod, type Pod } from './kube/decode.ts'
import { type Candidacy, joinElection } from './lease/join-election.ts'
import { leadAlone } from './lease/leader-election.ts'
import { createLeaseClock } from './lease/lease-clock.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { FIELD_MANAGER } from './model/names.ts'
import type { RoleName } from './model/role-name.ts'
import { ownPods } from './observe/own-workloads.ts'
import { createReconcile } from './reconcile.ts'
import { type PolicyTimings, watchPolicies } from './self/watch-policies.ts'
import { createLiveFile } from './snapshot/live-file.ts'
import { createSourceReader } from './snapshot/source-reader.ts'
import { createSnapshotTaker } from './snapshot/take-snapshot.ts'
import { countStates } from './status/count-states.ts'
import { watchProgrammedLag } from './status/watch-programmed-lag.ts'
import { createStatusWriter } from './status/write-statuses.ts'
import { createApplier } from './write/applier.ts'
import { createPruner } from './write/prune.ts'
import { createValuesSecret } from './write/values-secret.ts'
import { createWriter } from './write/write-translation.ts'

export type OperatorOptions = {
  readonly access: KubeAccess
  readonly podAccess: PodAccess
  /** True: the operator asks the gateways' buses itself. Default: false. */
  readonly reachesBuses?: boolean
  readonly gatewayClass: string
  readonly defaultImage: string
  /** The namespace of the operator's pods (POD_NAMESPACE), which the gateways' pods let in. */
  readonly operatorNamespace: string
  /** The labels of the operator's pods; unset or empty: the shipped labels. */
  readonly operatorLabels?: Readonly<Record<string, string>>
  /** The role that the operator binds to accounts of web interfaces; unset: none. */
  readonly webReadRole?: RoleName | undefined
  readonly logger: Logger
  /** Unset: no other operator runs, so no lease is taken. */
  readonly candidacy?: Candidacy
  /** The only namespaces to watch; unset: all. */
  readonly watchNamespaces?: readonly string[]
  readonly watchTimings?: Partial<WatchTimings>
  readonly claimTimings?: Partial<ClaimTimings>
  readonly policyTimings?: Partial<PolicyTimings>
}

export type Operator = {
  readonly metrics: Metrics
  /** True when every cache is filled, apart from forbidden namespaces. A standby becomes ready, too. */
  readonly ready: boolean
  close(): Promise<void>
}

/** Keys that are worked on at once. The API server thus gets only a few writes at once. */
const WORKERS = 4
/** Pods of all gateways that are asked at once, which bounds the connections to hundreds of lagging pods. */
const POD_ASKS_AT_ONCE = 20
/** 256 bits, since a guessed bus token would open all traffic. */
const SECRET_BYTES = 32
/** Without the annotation the kubelet refreshes the pod's files within some minutes. */
const NOT_ANNOTATED = 'pod could not be annotated; it loads its configuration later'
/** The most pods that a log line or an event names. */
const MAX_NAMED = 16
/**
 * The time for work that runs at SIGTERM, since another operator leads within 3 s
 * (docs/reference/kubernetes.md#operator).
 */
const STOP_MS = 1_500

/** Starts the operator's parts. `close` ends all of them. */
export function startOperator(options: OperatorOptions): Operator {
  const {
    access,
    podAccess,
    reachesBuses = false,
    gatewayClass,
    defaultImage,
    operatorNamespace,
    webReadRole,
    logger,
    candidacy,
    watchNamespaces = [],
    watchTimings = {},
    claimTimings = {},
    policyTimings = {},
    operatorLabels = {},
  } = options
  const leadership = candidacy === undefined ? leadAlone() : joinElection(access, candidacy, logger)
  const stop = Promise.withResolvers<'stopped'>()
  let stopping = false
  const metrics = createMetrics({
    depth: () => queue.depth,
    workingMs: () => queue.workingMs,
    workers: WORKERS,
    isLeading: () => leadership.isLeading,
    host: new URL(access.server).host,
    resources: () =>
      new Map([
        ['LLMGateway', countStates(state.gateways.objects.values())],
        ['Router', countStates(state.routers.objects.values())],
        ['Processor', countStates(state.processors.objects.values())],
      ]),
    forbidden: () => state.forbidden,
    elsewhere: () => claims.elsewhere,
    policies: () => policies.state,
  })
  const priorityOf = (key: string) => (state.isSynced && state.gateways.objects.has(key) ? 'normal' : 'low')
  const queue = new WorkQueue({}, metrics.queue, priorityOf)
  const mayWrite = () => !stopping && leadership.mayWrite()
  const transport = createTransport({ access, answered: metrics.requestAnswered, mayWrite })
  const client = createKubeClient(transport, FIELD_MANAGER)
  const binds = webReadRole !== undefined
  const state = watchCluster({ transport, logger, gatewayClass, watchNamespaces, timings: watchTimings, binds })
  const [probed = operatorNamespace] = watchNamespaces
  const policies = watchPolicies({ transport, namespace: probed, logger, timings: policyTimings })
  const secrets = state.metadata.get('Secret') ?? new Store()
  const values = createValuesSecret(client, secrets)
  const snapshots = createSnapshotTaker({
    state,
    sources: createSourceReader({ client, metadata: state.metadata, readLate: (key) => queue.addBehind(key) }),
    liveFile: createLiveFile(client, state.metadata.get('ConfigMap') ?? new Store()),
    values,
    gatewayClass,
    defaultImage,
    operatorNamespace,
    operatorLabels,
    webReadRole,
    lease: candidacy?.lease,
  })
  const events = createEvents({ client, instance: candidacy?.identity ?? 'llm-gateway-operator', logger })
  const statuses = createStatusWriter({ client, state, events, logger })
  const claims = createClaims({
    client,
    gateways: state.gateways,
    own: candidacy?.lease,
    report: (gateway, lease, news) => {
      const { namespace, name, uid } = gateway.metadata
      const names = { llmgateway: keyOf(gateway.metadata), lease: keyOf(lease) }
      logger.warn(
        names,
        news === 'taken over' ? 'llmgateway taken over' : 'another operator looks after the llmgateway',
      )
      const subject = { apiVersion: API_VERSION, kind: 'LLMGateway', namespace, name, uid }
      events.report(subject, ...claimEvent(lease, candidacy?.lease, news))
    },
    logger,
    clock: createLeaseClock(),
    timings: claimTimings,
  })
  const deliveries = new Map<string, GatewayDelivery>()
  const shared = {
    ask: createAskPod(transport, podAccess),
    limit: createConcurrencyLimit(POD_ASKS_AT_ONCE),
    annotate: async (pod: Pod, value: string): Promise<void> => {
      const { namespace, name } = pod.metadata
      const patch = { metadata: { annotations: { [CONFIG_ANNOTATION]: value } } }
      try {
        const outcome = await client.merge({ kind: 'Pod', namespace, name }, patch)
        const annotated = outcome.kind === 'written' ? decodePod(outcome.object) : undefined
        // The watch may have brought the deletion of the pod before this answer came.
        const isKnown = state.pods.get(`${namespace}/${name}`)?.metadata.uid === pod.metadata.uid
        if (annotated !== undefined && isKnown) state.pods.put(annotated)
        if (outcome.kind === 'refused' && outcome.status !== 404) {
          logger.warn({ pod: `${namespace}/${name}`, code: outcome.code }, NOT_ANNOTATED)
        }
      } catch (error) {
        if (!(error instanceof TransportError)) throw error
        logger.warn({ pod: `${namespace}/${name}`, code: error.code }, NOT_ANNOTATED)
      }
    },
  }
  const deliveryOf = (key: string): GatewayDelivery => {
    const known = deliveries.get(key)
    if (known !== undefined) return known
    const gaveUp = (pods: readonly Pod[]) => {
      const names = pods.slice(0, MAX_NAMED).map(({ metadata }) => metadata.name)
      logger.warn({ llmgateway: key, pods: names }, 'pods still have an older configuration')
      const gateway = state.gateways.get(key)
      if (gateway === undefined) return
      const { namespace, name, uid } = gateway.metadata
      const subject = { apiVersion: API_VERSION, kind: 'LLMGateway', namespace, name, uid }
      const message = `These pods have not loaded the newest configuration: ${names.join(', ')}.`
      events.report(subject, 'Warning', 'PodsLagging', message)
    }
    const delivery = new GatewayDelivery({
      ...shared,
      failed: (error) => logger.error({ llmgateway: key, ...failureOf(error) }, 'pod could not be asked or nudged'),
      gaveUp,
      pods: () => ownPods(state, key),
      changed: () => queue.add(key),
    })
    deliveries.set(key, delivery)
    return delivery
  }
  const forget = (key: string): void => {
    deliveries.get(key)?.close()
    deliveries.delete(key)
    snapshots.forget(key)
    statuses.forget(key)
    pruner.forget(key)
    streamCopies?.forget(key)
  }
  const consumers = reachesBuses ? createSinkConsumers({ client, logger }) : undefined
  const streamCopies = reachesBuses
    ? createStreamCopies({ client, logger, changed: (key) => queue.add(key), now: () => performance.now() })
    : undefined
  const pruner = createPruner({ client, metadata: state.metadata, consumers, clock: () => performance.now() })
  const writer = createWriter({
    applier: createApplier({ client, metadata: state.metadata }),
    values,
    generated: { client, metadata: secrets, randomText: () => randomBytes(SECRET_BYTES).toString('hex') },
    pruner,
  })
  const reconcile = createReconcile({
    state,
    snapshots,
    writer,
    statuses,
    deliveryOf,
    claims,
    streamCopies,
    forget,
    gatewayClass,
    now: () => `${new Date().toISOString().slice(0, 19)}Z`,
  })
  routeEvents(state, {
    add: (key) => queue.add(key, priorityOf(key)),
    addBehind: (key) => queue.addBehind(key, priorityOf(key)),
    podsChanged: (key) => deliveries.get(key)?.podsChanged(),
    snapshots,
  })
  watchProgrammedLag({ state, programmed: metrics.programmed })
  // The controller waits for complete caches: a Router that a cache lacks would lose its path.
  const started = Promise.all([state.synced, leadership.elected])
  const running = Promise.race([started, stop.promise]).then(() => {
    if (stopping) return
    const { predecessor } = leadership
    if (candidacy !== undefined && predecessor !== undefined) events.report(...leaderEvent(candidacy, predecessor))
    logger.info({ gateways: state.gateways.objects.size, routers: state.routers.objects.size }, 'operator started')
    return runController({ queue, workers: WORKERS, reconcile, logger, reconciled: metrics.reconciled })
  })
  return {
    metrics,
    get ready() {
      return state.isSynced
    },
    close: async () => {
      stopping = true
      policies.close()
      stop.resolve('stopped')
      queue.close()
      for (const key of [...deliveries.keys()]) forget(key)
      const quiet = Promise.all([state.close(), running, events.close()])
      await Promise.race([quiet, wait(STOP_MS, undefined, { ref: false })])
      // Cuts unanswered requests. None of our writes is on its way after that, so another operator may lead.
      await transport.close()
      await quiet
      await leadership.release()
    },
  }
}

/** Returns the event for an LLMGateway that another installation of its class looks after, or did. */
function claimEvent(
  theirs: LeaseReference,
  own: LeaseReference | undefined,
  news: ClaimChange,
): [EventType, string, string] {
  const us = own === undefined ? 'an operator without a Lease' : `the operator of Lease ${keyOf(own)}`
  if (news === 'taken over')
    return ['Normal', 'TakenOver', `Lease ${keyOf(theirs)} has expired, so ${us} looks after this LLMGateway now.`]
  const note = `The operator of Lease ${keyOf(theirs)} looks after this LLMGateway, so ${us} does not.`
  const unread = ' The Lease can not be read.'
  return ['Warning', 'LookedAfterElsewhere', news === 'unreadable' ? `${note}${unread}` : note]
}

/**
 * Returns the event about a silent predecessor. A lease that was given back needs none: the Lease itself names its
 * holder.
 */
function leaderEvent({ identity, lease }: Candidacy, predecessor: string): Parameters<Events['report']> {
  const subject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease, uid: '' }
  return [subject, 'Warning', 'LeaderElection', `${identity} leads, since ${predecessor} no longer renewed the Lease.`]
}
