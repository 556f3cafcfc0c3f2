import { createHash } from 'node:crypto'
import type {
  V1EnvVar,
  V1PodSecurityContext,
  V1PodSpec,
  V1ResourceRequirements,
  V1SecurityContext,
  V1TopologySpreadConstraint,
} from '@kubernetes/client-node'
import { type EnvEntry, GROUP, type LlmGateway, type PodSettings } from '@llm-gateway/crds'
import type { JsonOf } from '../../model/manifest.ts'

/** Returns where pods may run, from the curated `pod` of an LLMGateway. */
export function podPlacement({ pod }: LlmGateway['spec']): Omit<JsonOf<V1PodSpec>, 'containers'> {
  return {
    nodeSelector: pod?.nodeSelector,
    tolerations: pod?.tolerations,
    imagePullSecrets: pod?.imagePullSecrets,
    priorityClassName: pod?.priorityClassName,
  }
}

/** Spreads a workload's pods over nodes where they fit. A pod is started even where they don't. */
export function spreadOverNodes(
  matchLabels: Readonly<Record<string, string>>,
): readonly JsonOf<V1TopologySpreadConstraint>[] {
  return [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels },
    },
  ]
}

/** Leaves out undefined fields: applied as null they would be fields of the operator. */
export function withoutUndefined(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** The restricted pod security standard, which holds for every container that the operator makes. */
export const CONTAINER_SECURITY: JsonOf<V1SecurityContext> = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}

const USER = 65_532

export const POD_SECURITY: JsonOf<V1PodSecurityContext> = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  // Files of a volume are readable by this group alone.
  fsGroup: USER,
  seccompProfile: { type: 'RuntimeDefault' },
}

/** 0440 */
export const GROUP_READABLE = 0o440

type Resources = NonNullable<PodSettings['resources']>

/**
 * A container's requests where no resource says otherwise: about its use under a moderate load. A container without
 * requests is the first that a node short of memory ends.
 */
const REQUESTS = {
  gateway: { cpu: '100m', memory: '192Mi' },
  bus: { cpu: '50m', memory: '128Mi' },
  exporter: { cpu: '5m', memory: '64Mi' },
  sink: { cpu: '20m', memory: '128Mi' },
  web: { cpu: '20m', memory: '128Mi' },
} as const

export function podResources(
  program: keyof typeof REQUESTS,
  own: Resources | undefined,
): { readonly resources: JsonOf<V1ResourceRequirements> } {
  return { resources: own === undefined ? { requests: REQUESTS[program] } : resourcesOf(own) }
}

/** Writes quantities as texts, the only form in Kubernetes' model: people also write `cpu: 2`. */
export function resourcesOf({ requests, limits }: Resources): JsonOf<V1ResourceRequirements> {
  return { requests: requests && quantityTexts(requests), limits: limits && quantityTexts(limits) }
}

function quantityTexts(quantities: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)]))
}

/**
 * Writes an entry for a container. Kubernetes would take `$(NAME)` for a reference; here only `${NAME}` is one
 * (docs/reference/kubernetes.md#variables).
 */
export function envVariable({ name, value = '', valueFrom }: EnvEntry): JsonOf<V1EnvVar> {
  if (valueFrom !== undefined) return { name, valueFrom }
  // `$$` is Kubernetes' escape of `$`. A text without `$(` and `$$` needs none, so all its `$` stay as they are.
  return { name, value: /\$[$(]/.test(value) ? value.replaceAll('$', () => '$$') : value }
}

/** 64 bits suffice: the hash only has to differ from the previous hash, and people compare it by eye. */
const CHARACTERS = 16

/**
 * Makes an annotation of a pod template from the facts that a program reads only at its start, so that a change
 * restarts its pods.
 */
export function restartAnnotation(facts: unknown): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(JSON.stringify(facts)).digest('hex')
  return { [`${GROUP}/settings`]: hash.slice(0, CHARACTERS) }
}
