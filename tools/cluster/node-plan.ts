import type { NodePrograms } from './node-programs.ts'

/** What the process inside the cluster's namespaces is told, as JSON in `plan.json`. */
export type NodePlan = {
  /** Everything of the cluster lies here. */
  readonly folder: string
  readonly bin: string
  readonly programs: NodePrograms
  readonly audit: boolean
  /** Cgroup of all pods, from the root of each hierarchy. */
  readonly cgroup: string
}

/** What it says when all of it works, in `ready.json`. */
export type NodeReady = { readonly phases: readonly Phase[] }
export type Phase = { readonly name: string; readonly seconds: number }

export const NODE_NAME = 'node1'
export const NODE_ADDRESS = '192.168.222.1'
export const DNS_ADDRESS = '10.96.0.10'
export const PAUSE_IMAGE = 'docker.io/llm-gateway/pause:test'
export const DNS_IMAGE = 'docker.io/llm-gateway/coredns:test'

/** Where containerd answers. */
export function containerdSocket(folder: string): string {
  return `${folder}/containerd.sock`
}
