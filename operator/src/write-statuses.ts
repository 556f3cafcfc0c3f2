import type { LlmGateway } from '@llm-gateway/crds'
import { createLimit } from './delivery/limit.ts'
import type { ClusterState } from './kube/cluster-state.ts'
import { decodeGateway, decodeProcessor, decodeRouter } from './kube/decode.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { keyOf } from './kube/store.ts'
import { writeStatus } from './kube/write-status.ts'
import type { Statuses } from './translate/translate.ts'

export type StatusWriter = {
  write(gateway: LlmGateway, statuses: Statuses): Promise<void>
  /** Of those whose gateway isn't there. */
  writeOrphans(orphans: Omit<Statuses, 'gateway'>): Promise<void>
  /** Whether a gateway's statuses were judged within the last `ms`. */
  isRecent(gateway: string, ms: number): boolean
  forget(gateway: string): void
}

const AT_ONCE = 16

/** A status that the API server refused; the reconciliation comes back. */
class StatusRefused extends Error {
  readonly code = 'STATUS_REFUSED'
}

export function createStatusWriter(client: KubeClient, state: ClusterState): StatusWriter {
  const writtenAt = new Map<string, number>()
  const limit = createLimit(AT_ONCE)
  const ofRouters = { kind: 'Router', store: state.routers, decode: decodeRouter } as const
  const ofProcessors = { kind: 'Processor', store: state.processors, decode: decodeProcessor } as const
  const ofGateways = { kind: 'LLMGateway', store: state.gateways, decode: decodeGateway } as const

  const writeRouters = async (routers: Statuses['routers']): Promise<void> => {
    const done = await Promise.all(
      routers.map(({ router, status }) => limit(() => writeStatus(client, ofRouters, { object: router, status }))),
    )
    if (done.includes(false)) throw new StatusRefused('refused')
  }
  const writeProcessors = async (processors: Statuses['processors']): Promise<void> => {
    const done = await Promise.all(
      processors.map(({ processor, status }) =>
        limit(() => writeStatus(client, ofProcessors, { object: processor, status })),
      ),
    )
    if (done.includes(false)) throw new StatusRefused('refused')
  }
  return {
    writeOrphans: async ({ routers, processors }) => {
      await writeRouters(routers)
      await writeProcessors(processors)
    },
    write: async (gateway, statuses) => {
      await writeRouters(statuses.routers)
      await writeProcessors(statuses.processors)
      const done = await writeStatus(client, ofGateways, { object: gateway, status: statuses.gateway })
      if (!done) throw new StatusRefused('refused')
      writtenAt.set(keyOf(gateway.metadata), performance.now())
    },
    isRecent: (gateway, ms) => performance.now() - (writtenAt.get(gateway) ?? Number.NEGATIVE_INFINITY) < ms,
    forget: (gateway) => {
      writtenAt.delete(gateway)
    },
  }
}
