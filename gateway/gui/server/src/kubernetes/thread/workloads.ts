import type { ServiceState } from '@llm-gateway/gui-api'
import { conditionAt, numberAt, type Stored, textAt } from '@llm-gateway/kube'
import { decodeLean, GATEWAY_POD_LABEL } from '@llm-gateway/operator/judge'
import type { GatewayPodPlace } from './questions.ts'

export type WatchedPod = Stored & GatewayPodPlace & { readonly isOfGateway: boolean }

export function decodePod(object: unknown): WatchedPod | undefined {
  const stored = decodeLean(object)
  if (stored === undefined) return undefined
  return {
    ...stored,
    name: stored.metadata.name,
    node: textAt(object, 'spec', 'nodeName') ?? '',
    ready: conditionAt(object, 'Ready')?.status === 'True' && stored.metadata.deletionTimestamp === undefined,
    address: textAt(object, 'status', 'podIP') ?? '',
    isOfGateway: stored.metadata.labels[GATEWAY_POD_LABEL] !== undefined,
  }
}

export type Workload = Stored & { readonly service: ServiceState }

const KINDS: ReadonlyMap<string, ServiceState['kind']> = new Map([
  ['gateway', 'gateway'],
  ['bus', 'bus'],
  ['processor', 'processor'],
  ['sink', 'sink'],
  ['web', 'web_interface'],
])

export function decodeWorkload(object: unknown): Workload | undefined {
  const stored = decodeLean(object)
  if (stored === undefined) return undefined
  const { metadata } = stored
  const component = metadata.labels['app.kubernetes.io/component'] ?? ''
  const [wanted = 1, ready = 0] = [numberAt(object, 'spec', 'replicas'), numberAt(object, 'status', 'readyReplicas')]
  const isCurrent = (numberAt(object, 'status', 'observedGeneration') ?? 0) >= metadata.generation
  const state = isCurrent && ready >= wanted ? 'healthy' : isStuck(object) ? 'ended' : 'starting'
  return {
    ...stored,
    service: { name: metadata.name, kind: KINDS.get(component) ?? 'other', state, since: null, starts: null },
  }
}

function isStuck(object: unknown): boolean {
  return conditionAt(object, 'Progressing')?.reason === 'ProgressDeadlineExceeded'
}
