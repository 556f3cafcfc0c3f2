import type { Logger } from '@llm-gateway/conf'
import { API_VERSION, type Condition, type LlmGateway } from '@llm-gateway/crds'
import { Backoff, type KubeClient, keyOf, type Stored } from '@llm-gateway/kube'
import { createConcurrencyLimit } from '../delivery/concurrency-limit.ts'
import type { Events } from '../events/events.ts'
import { statusEvents } from '../events/status-events.ts'
import type { ClusterState } from '../kube/cluster-state.ts'
import { decodeGateway } from '../kube/decode-resource.ts'
import type { Statuses } from '../translate/judge-all.ts'
import { orphanProcessorStatus } from '../translate/processors/orphan-processor-status.ts'
import { orphanStatus } from '../translate/routers/orphan-status.ts'
import { inTurns, type Steps } from '../translate/steps.ts'
import { hasStatus, type StatusWrite, writeStatus } from './write-status.ts'

export type StatusWriter = {
  /**
   * Writes the statuses of a gateway, for some seconds. Once superseded it leaves the rest to the next reconciliation, so
   * that an edit doesn't wait for 5,000 statuses. Resolves with the ms after which to come back: for the rest, or for
   * refused statuses, which hold back no others. Rejects where the API server doesn't answer.
   */
  write(gateway: LlmGateway, statuses: Statuses, superseded: AbortSignal): Promise<number | undefined>
  /** Writes the statuses of Routers and Processors whose gateway doesn't exist. */
  writeOrphans(gateway: string, orphans: Omit<Statuses, 'gateway'>): Promise<number | undefined>
  /** Returns whether a gateway's statuses were written within the last `ms`. */
  isRecent(gateway: string, ms: number): boolean
  forget(gateway: string): void
}

/**
 * The API server writes some 300 statuses a second, and more at once don't raise that. A gateway has no more writes in
 * the common queue, so that another gateway waits for few of them.
 */
const AT_ONCE = 16
/** After this time a worker is free for other gateways. */
const PASS_MS = 5_000
/** The same where the gateway doesn't exist: anybody may name many such gateways, and all workers may be at them. */
const ORPHANS_PASS_MS = 500
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
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: () => number
}

export function createStatusWriter({
  client,
  state,
  events,
  logger,
  clock = () => performance.now(),
}: StatusWriterOptions): StatusWriter {
  const writtenAt = new Map<string, number>()
  /** Gateway with refused statuses → its back-off and the time of the next try. */
  const retries = new Map<string, { readonly backoff: Backoff; readonly at: number }>()
  const limit = createConcurrencyLimit(AT_ONCE)
  /**
   * Objects as the API server returned them → the status that was written, where it kept only a part, as under an older
   * CRD.
   */
  const unkept = new WeakMap<object, object>()
  /** Object → its last refusal. Such objects come last, the one that was tried last at the end. */
  const refusals = new WeakMap<object, Refusal>()
  let tries = 0
  const ofRouters = { kind: 'Router', store: state.routers, decode: state.decoders.router, unkept } as const
  const ofProcessors = { kind: 'Processor', store: state.processors, decode: state.decoders.processor, unkept } as const
  const ofGateways = { kind: 'LLMGateway', store: state.gateways, decode: decodeGateway, unkept } as const

  /** Writes one status and reports its events. Resolves with a refusal. */
  const writeOne = async <T extends WithStatus>(
    kind: StatusWrite<T>,
    one: JudgedObject<T>,
  ): Promise<Refusal | undefined> => {
    const code = await writeStatus(client, kind, one)
    if (code !== undefined) {
      tries += 1
      const refusal = { text: `${keyOf(one.object.metadata)}: ${code}`, at: tries }
      refusals.set(one.object, refusal)
      return refusal
    }
    const { namespace, name, uid } = one.object.metadata
    const subject = { apiVersion: API_VERSION, kind: kind.kind, namespace, name, uid }
    for (const { type, reason, note } of statusEvents(one.object.status, one.status, one.lack)) {
      events.report(subject, type, reason, note)
    }
    return undefined
  }
  /** Writes statuses that changed, until it is enough. */
  const writeAll = async <T extends WithStatus>(
    kind: StatusWrite<T>,
    changed: readonly JudgedObject<T>[],
    enough: () => boolean = () => false,
  ): Promise<Written> => {
    const lastTry = ({ object }: JudgedObject<T>) => refusals.get(object)?.at ?? 0
    const rest = inRotation(changed)
      .toSorted((a, b) => lastTry(a) - lastTry(b))
      .values()
    const refused: string[] = []
    let isWhole = true
    const writeRest = async (): Promise<void> => {
      for (const one of rest) {
        const before = refusals.get(one.object)
        const isEnough = enough()
        if (isEnough && before === undefined) isWhole = false
        const refusal = isEnough ? before : await limit(() => writeOne(kind, one))
        if (refusal !== undefined) refused.push(refusal.text)
      }
    }
    await allAnswered(Array.from({ length: AT_ONCE }, writeRest))
    return { refused, isWhole }
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
    const now = clock()
    const { backoff, at } = retries.get(gateway) ?? { backoff: new Backoff(REFUSED), at: now }
    // An edit caused this try before its time.
    if (at > now) return at - now
    const againMs = backoff.next(Math.random())
    retries.set(gateway, { backoff, at: now + againMs })
    return againMs
  }
  const changedIn = async ({ routers, processors }: Omit<Statuses, 'gateway'>) => {
    const ofRouters = routers.map(({ router, status }) => ({ object: router, status }))
    const ofProcessors = processors.map(({ processor, status }) => ({ object: processor, status }))
    return {
      routers: await inTurns(changedOf(ofRouters, unkept)),
      processors: await inTurns(changedOf(ofProcessors, unkept)),
    }
  }
  return {
    writeOrphans: async (gateway, orphans) => {
      const { routers, processors } = await changedIn(orphans)
      const until = clock() + ORPHANS_PASS_MS
      const enough = () => clock() > until
      const parts = await allAnswered([
        writeAll(ofRouters, routers, enough),
        writeAll(ofProcessors, processors, enough),
      ])
      const againMs = comesBackIn(gateway, refusedIn(parts))
      return areWhole(parts) ? againMs : 0
    },
    write: async (gateway, statuses, superseded) => {
      const key = keyOf(gateway.metadata)
      const { routers, processors } = await changedIn(statuses)
      // From here, since a comparison that takes a second would leave a superseded pass no time for any write.
      const began = clock()
      const enough = () => clock() - began > (superseded.aborted ? LONG_ENOUGH_MS : PASS_MS)
      const ofOthers = await Promise.allSettled([
        writeAll(ofRouters, routers, enough),
        writeAll(ofProcessors, processors, enough),
      ])
      const isLeft = superseded.aborted && enough()
      const changed = changedOf([{ object: gateway, status: statuses.gateway, lack: statuses.lack }], unkept)
      const own = isLeft ? NOTHING : await writeAll(ofGateways, await inTurns(changed))
      if (!isLeft) writtenAt.set(key, clock())
      const parts = [own, ...(await allAnswered(ofOthers.map(unsettled)))]
      const againMs = comesBackIn(key, refusedIn(parts))
      // A superseded pass has the next one behind it already.
      return areWhole(parts) || superseded.aborted ? againMs : 0
    },
    isRecent: (gateway, ms) => clock() - (writtenAt.get(gateway) ?? Number.NEGATIVE_INFINITY) < ms,
    forget: (gateway) => {
      writtenAt.delete(gateway)
    },
  }
}

type Refusal = {
  /** `namespace/name: code` */
  readonly text: string
  /** A number that grows with each refusal. */
  readonly at: number
}

type Written = {
  /** The texts of refusals, those of earlier passes included where it was enough before another try. */
  readonly refused: readonly string[]
  /** False where statuses are left that were never refused. */
  readonly isWhole: boolean
}

const NOTHING: Written = { refused: [], isWhole: true }

function refusedIn(parts: readonly Written[]): readonly string[] {
  return parts.flatMap(({ refused }) => refused)
}

function areWhole(parts: readonly Written[]): boolean {
  return parts.every(({ isWhole }) => isWhole)
}

/** Returns the objects without their status, one in each step: the comparison of 5,000 takes 60 ms. */
function* changedOf<T extends WithStatus>(
  judged: readonly JudgedObject<T>[],
  unkept: StatusWrite<T>['unkept'],
): Steps<readonly JudgedObject<T>[]> {
  const changed: JudgedObject<T>[] = []
  for (const one of judged) {
    if (!hasStatus(one, unkept)) changed.push(one)
    yield
  }
  return changed
}

/** Lets namespaces take turns: the first object of each, then the second of each, and so on. */
function inRotation<T extends WithStatus>(judged: readonly JudgedObject<T>[]): readonly JudgedObject<T>[] {
  const counts = new Map<string, number>()
  const turns = judged.map((one) => {
    const { namespace } = one.object.metadata
    const turn = counts.get(namespace) ?? 0
    counts.set(namespace, turn + 1)
    return { one, turn }
  })
  return turns.sort((a, b) => a.turn - b.turn).map(({ one }) => one)
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
