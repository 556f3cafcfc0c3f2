import { API_VERSION, type Condition, type LlmGateway } from '@llm-gateway/crds'
import { createLimit } from './delivery/limit.ts'
import type { Events } from './events/events.ts'
import { statusNews } from './events/status-news.ts'
import type { ClusterState } from './kube/cluster-state.ts'
import { decodeGateway, decodeProcessor, decodeRouter } from './kube/decode-resource.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { keyOf, type Stored } from './kube/store.ts'
import { type StatusWrite, writeStatus } from './kube/write-status.ts'
import type { Statuses } from './translate/translate.ts'

export type StatusWriter = {
  /** Once superseded it leaves the rest to the reconciliation that follows: an edit doesn't wait for 5,000 statuses. */
  write(gateway: LlmGateway, statuses: Statuses, superseded: AbortSignal): Promise<void>
  /** Of those whose gateway isn't there. */
  writeOrphans(orphans: Omit<Statuses, 'gateway'>): Promise<void>
  /** Whether a gateway's statuses were judged within the last `ms`. */
  isRecent(gateway: string, ms: number): boolean
  forget(gateway: string): void
}

/** The API server writes some 300 a second, and more at once makes that no more. */
const AT_ONCE = 16
/** So that edits which never stop don't keep statuses from being written. */
const LONG_ENOUGH_MS = 1_000

/** A status that the API server refused; the reconciliation comes back. */
class StatusRefused extends Error {
  readonly code = 'STATUS_REFUSED'
}

export type StatusWriterOptions = {
  readonly client: KubeClient
  readonly state: ClusterState
  readonly events: Pick<Events, 'report'>
}

export function createStatusWriter({ client, state, events }: StatusWriterOptions): StatusWriter {
  const writtenAt = new Map<string, number>()
  const limit = createLimit(AT_ONCE)
  const ofRouters = { kind: 'Router', store: state.routers, decode: decodeRouter } as const
  const ofProcessors = { kind: 'Processor', store: state.processors, decode: decodeProcessor } as const
  const ofGateways = { kind: 'LLMGateway', store: state.gateways, decode: decodeGateway } as const

  const writeOne = async <T extends WithStatus>(kind: StatusWrite<T>, one: Judged<T>): Promise<void> => {
    const done = await writeStatus(client, kind, one)
    if (!done) throw new StatusRefused('refused')
    const { namespace, name, uid } = one.object.metadata
    const subject = { apiVersion: API_VERSION, kind: kind.kind, namespace, name, uid }
    for (const { type, reason, note } of statusNews(one.object.status, one.status)) {
      events.report(subject, type, reason, note)
    }
  }
  const writeAll = async <T extends WithStatus>(
    kind: StatusWrite<T>,
    judged: readonly Judged<T>[],
    enough: () => boolean = () => false,
  ): Promise<void> => {
    const outcomes = await Promise.allSettled(
      judged.map((one) => limit(async () => (enough() ? undefined : writeOne(kind, one)))),
    )
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
  const routersOf = ({ routers }: Pick<Statuses, 'routers'>) =>
    routers.map(({ router, status }) => ({ object: router, status }))
  const processorsOf = ({ processors }: Pick<Statuses, 'processors'>) =>
    processors.map(({ processor, status }) => ({ object: processor, status }))
  return {
    writeOrphans: async (orphans) => {
      await writeAll(ofRouters, routersOf(orphans))
      await writeAll(ofProcessors, processorsOf(orphans))
    },
    write: async (gateway, statuses, superseded) => {
      const until = performance.now() + LONG_ENOUGH_MS
      const enough = () => superseded.aborted && performance.now() > until
      await writeAll(ofRouters, routersOf(statuses), enough)
      await writeAll(ofProcessors, processorsOf(statuses), enough)
      if (enough()) return
      await writeOne(ofGateways, { object: gateway, status: statuses.gateway })
      writtenAt.set(keyOf(gateway.metadata), performance.now())
    },
    isRecent: (gateway, ms) => performance.now() - (writtenAt.get(gateway) ?? Number.NEGATIVE_INFINITY) < ms,
    forget: (gateway) => {
      writtenAt.delete(gateway)
    },
  }
}

type WithStatus = Stored & { readonly status: { readonly conditions?: readonly Condition[] | undefined } }
type Judged<T extends WithStatus> = { readonly object: T; readonly status: T['status'] }
