import assert from 'node:assert/strict'
import { containerdSocket } from '../../tools/cluster/node-plan.ts'
import type { KubeScene } from './kube-scene.ts'

/** A pod with one container. */
export type Pod = {
  readonly name: string
  readonly uid: string
  readonly image: string
  readonly address: string
  readonly isReady: boolean
  readonly restarts: number
  /** The id of the running container in containerd. */
  readonly container: string
}

type PodJson = {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string }
  readonly spec: { readonly containers: readonly { readonly image: string }[] }
  readonly status: {
    readonly podIP?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly containerStatuses?: readonly { readonly restartCount: number; readonly containerID?: string }[]
  }
}

/** Returns the pods that match, without draining pods. */
export async function podsOf(scene: KubeScene, namespace: string, selector: string): Promise<readonly Pod[]> {
  const text = await scene.kubectl(['-n', namespace, 'get', 'pods', '-l', selector, '-o', 'json'])
  const list: { readonly items: readonly PodJson[] } = JSON.parse(text)
  const staying = list.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  return staying.map(({ metadata, spec, status }) => {
    const [container] = status.containerStatuses ?? []
    return {
      name: metadata.name,
      uid: metadata.uid,
      image: spec.containers[0]?.image ?? '',
      address: status.podIP ?? '',
      isReady: status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false,
      restarts: container?.restartCount ?? 0,
      container: container?.containerID?.replace('containerd://', '') ?? '',
    }
  })
}

/**
 * Sends SIGKILL to the first process of a pod's container from outside: signals from inside don't reach that process.
 */
export async function killPod({ cluster }: KubeScene, { container }: Pod): Promise<void> {
  const ctr = ['ctr', '-a', containerdSocket(cluster.folder), '-n', 'k8s.io']
  const { code, stderr } = await cluster.exec([...ctr, 'tasks', 'kill', '--signal', 'SIGKILL', container])
  assert.equal(code, 0, stderr)
}
