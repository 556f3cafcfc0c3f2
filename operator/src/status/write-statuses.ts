import type { Logger } from '@llm-gateway/conf'
import { API_VERSION, type Condition, type LlmGateway } from '@llm-gateway/crds'
import { Backoff, type KubeClient, keyOf, type Stored } from '@llm-gateway/kube'
import { createConcurrencyLimit } from '../delivery/concurrency-limit.ts'
import type { Events } from '../events/events.ts'
import { statusEvents } from '../events/status-events.ts'
import type { ClusterState } from '../kube/cluster-state.ts'
import { decodeGateway, decodeProcessor, decodeRouter } from '../kube/decode-resource.ts'
import type { Statuses } from '../translate/judge-all.ts'
import { orphanProcessorStatus } from '../translate/processors/orphan-processor-status.ts'
import { orphanStatus } from '../translate/routers/orphan-status.ts'
import { type StatusWrite, writeStatus } from './write-status.ts'

export type StatusWriter = {
  /**
   * Writes all statuses of a gateway. Once superseded it leaves the rest to the next reconciliation, so that an edit
   * doesn't wait for 5,000 statuses. Resolves with the ms after which to retry refused statuses, which hold back no
   * others. Rejects where the API server doesn't answer.
   */
  write(gateway: LlmGateway, statuses: Statuses, superseded: AbortSignal): Promise<number | undefined>
  /** Writes the statuses of Routers and Processors whose gateway doesn't exist. */
  writeOrphans(gateway: string, orphans: Omit<Statuses, 'gateway'>): Promise<number | undefined>
  /** Returns whether a gateway's statuses were written within the last `ms`. */
  isRecent(gateway: string, ms: number): boolean
  forget(gateway: string): void
}

/** The API server writes some 300 statuses a second, and more at once don't raise that. */
const AT_ONCE = 16
/** A superseded pass still writes for this long, so that endless edits don't stop all statuses. */
const LONG_ENOUGH_MS = 1_000

/** A policy in the cluster may refuse thousands of statuses permanently. */
const REFUSED = { firstMs: 1_000, mostMs: 300_000 }
const MAX_NAMED = 16

export type StatusWriterOptions = {
  readonly client: KubeClient
  readonly state: ClusterState
  readonly events: Pick<Events, 'report'>
  readonly logger: Logger
}

export function createStatusWriter({ client, state, events, logger }: StatusWriterOptions): StatusWriter {
  const writtenAt = new Map<string, number>()
  /** Gateway with refused statuses → its back-off and the time of the next try. */
  const retries = new Map<string, { readonly backoff: Backoff; readonly at: number }>()
  const limit = createConcurrencyLimit(AT_ONCE)
  /**
   * Objects as the API server returned them → the status that was written, where it kept only a part, as under an older
   * CRD.
   */
  const unkept = new WeakMap<object, object>()
  const ofRouters = { kind: 'Router', store: state.routers, decode: decodeRouter, unkept } as const
  const ofProcessors = { kind: 'Processor', store: state.processors, decode: decodeProcessor, unkept } as const
  const ofGateways = { kind: 'LLMGateway', store: state.gateways, decode: decodeGateway, unkept } as const

  /** Writes one status and reports its events. Resolves with `namespace/name: code` of a refusal. */
  const writeOne = async <T extends WithStatus>(
    kind: StatusWrite<T>,
    one: JudgedObject<T>,
  ): Promise<string | undefined> => {
    const code = await writeStatus(client, kind, one)
    if (code !== undefined) return `${keyOf(one.object.metadata)}: ${code}`
    const { namespace, name, uid } = one.object.metadata
    const subject = { apiVersion: API_VERSION, kind: kind.kind, namespace, name, uid }
    for (const { type, reason, note } of statusEvents(one.object.status, one.status, one.lack)) {
      events.report(subject, type, reason, note)
    }
    return undefined
  }
  const writeAll = async <T extends WithStatus>(
    kind: StatusWrite<T>,
    judged: readonly JudgedObject<T>[],
    enough: () => boolean = () => false,
  ): Promise<readonly string[]> => {
    const refused = await allAnswered(
      judged.map((object) => limit(async () => (enough() ? undefined : writeOne(kind, object)))),
    )
    return refused.filter((refusal) => refusal !== undefined)
  }
  const comesBackIn = (gateway: string, refused: readonly string[]): number | undefined => {
    if (refused.length === 0) {
      retries.delete(gateway)
      return undefined
    }
    const named = refused.slice(0, MAX_NAMED)
    logger.warn(
      { llmgateway: gateway, count: refused.length, refused: named },
      'the API server refused statuses; they are tried again',
    )
    const now = performance.now()
    const { backoff, at } = retries.get(gateway) ?? { backoff: new Backoff(REFUSED), at: now }
    // An edit caused this try before its time.
    if (at > now) return at - now
    const againMs = backoff.next(Math.random())
    retries.set(gateway, { backoff, at: now + againMs })
    return againMs
  }
  const routersOf = ({ routers }: Pick<Statuses, 'routers'>) =>
    routers.map(({ router, status }) => ({ object: router, status }))
  const processorsOf = ({ processors }: Pick<Statuses, 'processors'>) =>
    processors.map(({ processor, status }) => ({ object: processor, status }))
  return {
    writeOrphans: async (gateway, orphans) => {
      const refused = await allAnswered([
        writeAll(ofRouters, routersOf(orphans)),
        writeAll(ofProcessors, processorsOf(orphans)),
      ])
      return comesBackIn(gateway, refused.flat())
    },
    write: async (gateway, statuses, superseded) => {
      const key = keyOf(gateway.metadata)
      const until = performance.now() + LONG_ENOUGH_MS
      const enough = () => superseded.aborted && performance.now() > until
      const ofOthers = await Promise.allSettled([
        writeAll(ofRouters, routersOf(statuses), enough),
        writeAll(ofProcessors, processorsOf(statuses), enough),
      ])
      const isEnough = enough()
      const own = isEnough
        ? []
        : await writeAll(ofGateways, [{ object: gateway, status: statuses.gateway, lack: statuses.lack }])
      if (!isEnough) writtenAt.set(key, performance.now())
      const refused = await allAnswered(ofOthers.map(unsettled))
      return comesBackIn(key, [...own, ...refused.flat()])
    },
    isRecent: (gateway, ms) => performance.now() - (writtenAt.get(gateway) ?? Number.NEGATIVE_INFINITY) < ms,
    forget: (gateway) => {
      writtenAt.delete(gateway)
    },
  }
}

/** Rejects with the first failure, once all writes have ended. */
async function allAnswered<T>(writes: readonly Promise<T>[]): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(writes)
  return Promise.all(outcomes.map(unsettled))
}

function unsettled<T>(outcome: PromiseSettledResult<T>): Promise<T> {
  return outcome.status === 'fulfilled' ? Promise.resolve(outcome.value) : Promise.reject(outcome.reason)
}

type WithStatus = Stored & { readonly status: { readonly conditions?: readonly Condition[] | undefined } }
type JudgedObject<T extends WithStatus> = {
  readonly object: T
  readonly status: T['status']
  readonly lack?: Statuses['lack']
}

/** Returns the statuses of Routers and Processors that name a gateway which doesn't exist. */
export function orphansOf(state: ClusterState, gateway: string, now: string): Omit<Statuses, 'gateway'> {
  return {
    routers: state.routers.of(gateway).map((router) => ({ router, status: orphanStatus(router, now) })),
    processors: state.processors.of(gateway).map((processor) => ({
      processor,
      status: orphanProcessorStatus(processor, now),
    })),
  }
}
