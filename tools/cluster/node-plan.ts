import type { NodePrograms } from './node-programs.ts'

/** The instructions to the process inside the cluster's namespaces, JSON in `plan.json`. */
export type NodePlan = {
  /** The folder of all the cluster's files. */
  readonly folder: string
  readonly bin: string
  readonly programs: NodePrograms
  readonly audit: boolean
  /** The cgroup of all pods, relative to the root of each hierarchy. */
  readonly cgroup: string
}

/** The content of `ready.json`, which is written when the whole node works. */
export type NodeReady = { readonly phases: readonly Phase[] }
export type Phase = { readonly name: string; readonly seconds: number }

export const NODE_NAME = 'node1'
export const NODE_ADDRESS = '192.168.222.1'
export const DNS_ADDRESS = '10.96.0.10'
export const PAUSE_IMAGE = 'docker.io/llm-gateway/pause:test'
export const DNS_IMAGE = 'docker.io/llm-gateway/coredns:test'

/** Returns the path of containerd's socket. */
export function containerdSocket(folder: string): string {
  return `${folder}/containerd.sock`
}
