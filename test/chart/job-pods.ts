import { setTimeout as pause } from 'node:timers/promises'
import type { Admin, StoredObject } from '../operator/admin.ts'

export type JobPods = { close(): Promise<void> }
export type Outcome = { readonly code: number; readonly output: string }
/** Runs the container of a Job's pod. */
export type RunContainer = (pod: JobPod) => Promise<Outcome>
export type JobPod = {
  readonly namespace: string
  readonly name: string
  readonly serviceAccountName: string
  readonly command: readonly string[]
}

const LOOK_MS = 100
const JOB_LABEL = 'batch.kubernetes.io/job-name'

/** Stands in for the kubelet: runs the command of each Job's pod once and writes the outcome. */
export function startJobPods(admin: Admin, run: RunContainer): JobPods {
  const stop = new AbortController()
  const begun = new Set<string>()

  const finish = async (pod: StoredObject): Promise<void> => {
    const { name, namespace = '' } = pod.metadata
    const { code, output } = await run(jobPodOf(pod))
    const state = { terminated: { exitCode: code, message: output.slice(-1000) } }
    const [container] = JSON.parse(JSON.stringify(pod.spec)).containers
    const containerStatuses = [
      { name: container.name, image: container.image, imageID: '', ready: false, restartCount: 0, state },
    ]
    const status = { phase: code === 0 ? 'Succeeded' : 'Failed', containerStatuses }
    // The Job may be gone.
    await admin.merge({ kind: 'Pod', namespace, name }, { status }, 'status').catch(() => undefined)
  }
  const look = async (): Promise<void> => {
    const pods = await admin.list('Pod').catch(() => [])
    const fresh = pods.filter(
      ({ metadata }) => metadata.labels?.[JOB_LABEL] !== undefined && !begun.has(metadata.uid ?? ''),
    )
    for (const { metadata } of fresh) begun.add(metadata.uid ?? '')
    await Promise.all(fresh.map(finish))
  }
  const running = (async () => {
    while (!stop.signal.aborted) {
      await look()
      await pause(LOOK_MS, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  })()
  return {
    close: async () => {
      stop.abort()
      await running
    },
  }
}

function jobPodOf({ metadata: { name, namespace = '' }, spec }: StoredObject): JobPod {
  const { serviceAccountName, containers } = JSON.parse(JSON.stringify(spec))
  return { namespace, name, serviceAccountName, command: containers[0].command }
}
