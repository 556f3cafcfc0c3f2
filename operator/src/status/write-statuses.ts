import type { Logger } from '@llm-gateway/conf'
import { API_VERSION, type Condition, type LlmGateway } from '@llm-gateway/crds'
import { Backoff, type KubeClient, keyOf, type Stored } from '@llm-gateway/kube'
import { createLimit } from '../delivery/limit.ts'
import type { Events } from '../events/events.ts'
import { statusNews } from '../events/status-news.ts'
import type { ClusterState } from '../kube/cluster-state.ts'
import { decodeGateway, decodeProcessor, decodeRouter } from '../kube/decode-resource.ts'
import type { Statuses } from '../translate/judge-all.ts'
import { orphanProcessorStatus } from '../translate/processors/orphan-processor-status.ts'
import { orphanStatus } from '../translate/routers/orphan-status.ts'
import { type StatusWrite, writeStatus } from './write-status.ts'

export type StatusWriter = {
  /**
   * Once superseded it leaves the rest to the reconciliation that follows: an edit doesn't wait for 5,000 statuses. Resolves with
   * the ms after which to try again what was refused; that holds back no other. Rejects where the API server doesn't answer.
   */
  write(gateway: LlmGateway, statuses: Statuses, superseded: AbortSignal): Promise<number | undefined>
  /** Of those whose gateway isn't there. */
  writeOrphans(gateway: string, orphans: Omit<Statuses, 'gateway'>): Promise<number | undefined>
  /** Whether a gateway's statuses were judged within the last `ms`. */
  isRecent(gateway: string, ms: number): boolean
  forget(gateway: string): void
}

/** The API server writes some 300 a second, and more at once makes that no more. */
const AT_ONCE = 16
/** So that edits which never stop don't keep statuses from being written. */
const LONG_ENOUGH_MS = 1_000

/** Somebody's rule may refuse thousands for good. */
const REFUSED = { firstMs: 1_000, mostMs: 300_000 }
const MOST_NAMED = 16

export type StatusWriterOptions = {
  readonly client: KubeClient
  readonly state: ClusterState
  readonly events: Pick<Events, 'report'>
  readonly logger: Logger
}

export function createStatusWriter({ client, state, events, logger }: StatusWriterOptions): StatusWriter {
  const writtenAt = new Map<string, number>()
  /** Of gateways some of whose statuses are refused: when to try again. */
  const retries = new Map<string, { readonly backoff: Backoff; readonly at: number }>()
  const limit = createLimit(AT_ONCE)
  /** What the API server doesn't keep of a status, as under an older CRD: the object that it gave → what was written. */
  const unkept = new WeakMap<object, object>()
  const ofRouters = { kind: 'Router', store: state.routers, decode: decodeRouter, unkept } as const
  const ofProcessors = { kind: 'Processor', store: state.processors, decode: decodeProcessor, unkept } as const
  const ofGateways = { kind: 'LLMGateway', store: state.gateways, decode: decodeGateway, unkept } as const

  /** `namespace/name: code` of one that was refused. */
  const writeOne = async <T extends WithStatus>(kind: StatusWrite<T>, one: Judged<T>): Promise<string | undefined> => {
    const code = await writeStatus(client, kind, one)
    if (code !== undefined) return `${keyOf(one.object.metadata)}: ${code}`
    const { namespace, name, uid } = one.object.metadata
    const subject = { apiVersion: API_VERSION, kind: kind.kind, namespace, name, uid }
    for (const { type, reason, note } of statusNews(one.object.status, one.status, one.lack)) {
      events.report(subject, type, reason, note)
    }
    return undefined
  }
  const writeAll = async <T extends WithStatus>(
    kind: StatusWrite<T>,
    judged: readonly Judged<T>[],
    enough: () => boolean = () => false,
  ): Promise<readonly string[]> => {
    const refused = await allAnswered(
      judged.map((one) => limit(async () => (enough() ? undefined : writeOne(kind, one)))),
    )
    return refused.filter((one) => one !== undefined)
  }
  const comesBackIn = (gateway: string, refused: readonly string[]): number | undefined => {
    if (refused.length === 0) {
      retries.delete(gateway)
      return undefined
    }
    const named = refused.slice(0, MOST_NAMED)
    logger.warn({ llmgateway: gateway, count: refused.length, refused: named }, 'statuses were refused')
    const now = performance.now()
    const { backoff, at } = retries.get(gateway) ?? { backoff: new Backoff(REFUSED), at: now }
    // An edit tried in between.
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

/** Rejects with the first failure, once all have ended. */
async function allAnswered<T>(writes: readonly Promise<T>[]): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(writes)
  return Promise.all(outcomes.map(unsettled))
}

function unsettled<T>(outcome: PromiseSettledResult<T>): Promise<T> {
  return outcome.status === 'fulfilled' ? Promise.resolve(outcome.value) : Promise.reject(outcome.reason)
}

type WithStatus = Stored & { readonly status: { readonly conditions?: readonly Condition[] | undefined } }
type Judged<T extends WithStatus> = {
  readonly object: T
  readonly status: T['status']
  readonly lack?: Statuses['lack']
}

/** The statuses of those that name a gateway which isn't there. */
export function orphansOf(state: ClusterState, gateway: string, now: string): Omit<Statuses, 'gateway'> {
  return {
    routers: state.routers.of(gateway).map((router) => ({ router, status: orphanStatus(router, now) })),
    processors: state.processors.of(gateway).map((processor) => ({
      processor,
      status: orphanProcessorStatus(processor, now),
    })),
  }
}
