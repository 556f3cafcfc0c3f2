import type { Logger } from '@llm-gateway/sdk'
import {
  type BusOptions,
  checkDiskRoom,
  connectBus,
  LivenessProbe,
  monitoredHealth,
  probeBus,
  restartStalledBus,
} from '@llm-gateway/sdk/bus-liveness'
import type { Reply } from '@llm-gateway/sdk/port'

export type BusHealth = {
  /** Routes of the exporter's port, by path and query. */
  readonly routes: ReadonlyMap<string, () => Promise<Reply>>
  /** Returns whether the bus stores published messages; undefined: it has never stored a message of the probe. */
  stores(): boolean | undefined
  readonly ended: Promise<void>
}

export type WatchedBus = {
  readonly bus: BusOptions
  readonly subject: string
  readonly store: string
  readonly monitor: URL
  /** True: the bus is one of several servers. */
  readonly isCluster?: boolean
  readonly logger: Logger
  readonly signal: AbortSignal
  /** The intervals and limits of the probes; absent: defaults. */
  readonly pace?: { readonly intervalMs: number; readonly failures: number; readonly timeoutMs: number }
}

/** An older exporter ignores the query and answers with its own health, so the kubelet never restarts the bus by mistake. */
const PATH = '/healthz?of=bus'
const READY_PATH = '/readyz?of=bus'
/** A server of a cluster that catches up with the others reports itself unhealthy and needs time. */
const CLUSTER_FAILURES = 120
/** The time for which the probe asks for a restart. The kubelet probes every 10 s and restarts after six failures. */
const ASKED_MS = 120_000
const BACK_OFF_MS = 300_000
const OK: Reply = { status: 200, text: 'ok\n' }

/** Answers the kubelet's liveness probe of the bus: 503 while a restart would help, with the reason in the log. */
export function busHealth(options: WatchedBus): BusHealth {
  const { bus: place, subject, store, monitor, isCluster = false, logger, signal, pace } = options
  let answer = OK
  let stores: boolean | undefined
  const watch = async (): Promise<void> => {
    // A lost connection is reported by the metrics, not by the log.
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const bus = await connectBus({ ...place, name: 'bus-exporter', logger: silent, signal })
    if (bus === undefined) return
    const liveness = new LivenessProbe({ subject, bus: () => bus, ...pace })
    let restartedMs = Number.NEGATIVE_INFINITY
    await restartStalledBus({
      probe: async () => {
        const outcome = await probeBus(liveness, monitor)
        if (outcome.kind !== 'unjudged') stores = outcome.kind === 'acknowledged'
        if (stores === true || performance.now() - restartedMs > ASKED_MS) answer = OK
        return outcome
      },
      room: () => checkDiskRoom(store),
      restart: async () => {
        restartedMs = performance.now()
        answer = { status: 503, text: 'the bus stores nothing\n' }
      },
      notify: ({ kind, ...why }) => logger.warn({ state: kind, ...why }, 'bus liveness changed'),
      signal,
      now: () => performance.now(),
      backOffMs: BACK_OFF_MS,
      ...(isCluster ? { failures: CLUSTER_FAILURES } : {}),
      ...pace,
    })
    await bus.close()
  }
  const ready = async (): Promise<Reply> =>
    (await monitoredHealth(monitor)).kind === 'acknowledged' ? OK : { status: 503, text: 'not caught up\n' }
  const routes = new Map([
    [PATH, async () => answer],
    [READY_PATH, ready],
  ])
  return { routes, stores: () => stores, ended: watch() }
}
