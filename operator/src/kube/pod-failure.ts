import { conditionAt, listAt, numberAt, textAt, valueAt } from '@llm-gateway/kube'
import type { PodFailure } from '../model/snapshot.ts'

/** Reasons of the kubelet's waiting state for an image that can't be pulled. */
const IMAGE: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
])
/** One restart may be an accident. Between two crashes a container runs for a while, so restarts count. */
const CRASHES = 2

/** Returns why a pod doesn't start; undefined: no cause is seen. */
export function podFailure(pod: unknown): PodFailure | undefined {
  const scheduled = conditionAt(pod, 'PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') return 'place'
  for (const container of listAt(pod, 'status', 'containerStatuses')) {
    const failure = failureOf(container)
    if (failure !== undefined) return failure
  }
  return undefined
}

function failureOf(container: unknown): PodFailure | undefined {
  if (valueAt(container, 'ready') === true) return undefined
  const waiting = textAt(container, 'state', 'waiting', 'reason') ?? ''
  if (IMAGE.has(waiting)) return 'image'
  const restarts = numberAt(container, 'restartCount') ?? 0
  return waiting === 'CrashLoopBackOff' || restarts >= CRASHES ? 'crash' : undefined
}
