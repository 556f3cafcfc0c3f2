import type { GatewayPod, GatewayState } from '@llm-gateway/gui-api'
import { ADMIN_PORT } from '@llm-gateway/operator/judge'
import { fetchSamples, fetchStatusAt } from '../live/gateway-client.ts'
import type { Sample } from '../live/metrics-text.ts'
import { COUNTED_METRICS } from '../live/router-counts.ts'
import type { GatewayPodPlace } from './thread/questions.ts'

/** A pod's status. */
export type PodStatus = {
  readonly pod: GatewayPodPlace
  readonly state: GatewayState
  readonly valuesRevision: string | null
}

export type PodDependencies = { readonly adminPort: number }

const ADMIN: PodDependencies = { adminPort: ADMIN_PORT }
/** A pod answers in milliseconds. A short limit frees the few parallel requests from pods that are gone. */
const STATUS_LIMITS = { timeoutMs: 1_000, mostBytes: 128 * 1024 }
/** Bounds of the metrics of a pod with 10,000 called routers. */
const METRICS_LIMITS = { timeoutMs: 5_000, mostBytes: 64 * 1024 * 1024 }
const IN_FLIGHT = 20
const MOST_PODS = 200

/** Asks each ready pod for its status, at most 20 at once. Never rejects. */
export async function fetchPodStatuses(
  pods: readonly GatewayPodPlace[],
  dependencies = ADMIN,
): Promise<readonly PodStatus[]> {
  return await inParallel(readyOnes(pods), async (pod) => {
    const { state, valuesRevision } = await fetchStatusAt(adminOf(pod, dependencies), 'status', STATUS_LIMITS)
    return { pod, state, valuesRevision: valuesRevision ?? null }
  })
}

export type TakeSample = (sample: Sample) => void

/** Passes on the metrics of all pods for charts; false if a pod is missing: sums would jump. Never rejects. */
export async function readPodMetrics(
  pods: readonly GatewayPodPlace[],
  take: TakeSample,
  dependencies = ADMIN,
): Promise<boolean> {
  const ready = readyOnes(pods)
  const asked = await inParallel(ready, (pod) =>
    fetchSamples({
      url: `${adminOf(pod, dependencies)}/metrics`,
      names: COUNTED_METRICS,
      take,
      limits: METRICS_LIMITS,
    }),
  )
  return asked.length > 0 && asked.every((isWhole) => isWhole)
}

/** Returns a row for each pod of the gateway; `digest` is the effective file's. */
export function podRows(
  pods: readonly GatewayPodPlace[],
  statuses: readonly PodStatus[],
  digest: string | null,
): GatewayPod[] {
  const answers = new Map(statuses.map((status) => [status.pod.name, status]))
  return pods
    .map((pod): GatewayPod => {
      const { name, node, ready } = pod
      const answer = answers.get(name)
      if (answer?.state.reachable !== true)
        return { name, node, ready, digest: null, values_revision: null, version: null, lag: 'unknown' }
      const { digest: own, version } = answer.state
      const lag = digest === null ? 'unknown' : own === digest ? 'none' : 'behind'
      return { name, node, ready, digest: own, values_revision: answer.valuesRevision, version, lag }
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function readyOnes(pods: readonly GatewayPodPlace[]): readonly GatewayPodPlace[] {
  return pods.filter(({ ready, address }) => ready && address !== '').slice(0, MOST_PODS)
}

function adminOf({ address }: GatewayPodPlace, { adminPort }: PodDependencies): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${adminPort}`
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results = new Map<number, R>()
  const entries = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) results.set(index, await work(item))
  }
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, items.length) }, worker))
  return [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result)
}
