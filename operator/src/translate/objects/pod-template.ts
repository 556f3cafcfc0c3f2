import { createHash } from 'node:crypto'
import { type EnvEntry, GROUP, type LlmGateway, type PodSettings } from '@llm-gateway/crds'

/** Where pods may run, from the curated `pod` of an LLMGateway. */
export function podPlacement({ pod }: LlmGateway['spec']): object {
  const { nodeSelector, tolerations, imagePullSecrets, priorityClassName } = pod ?? NOTHING
  return defined({ nodeSelector, tolerations, imagePullSecrets, priorityClassName })
}

const NOTHING: PodSettings = {}

/** Pods of a Deployment on as many nodes as there are, where they fit; never a reason not to start one. */
export function spreadOverNodes(matchLabels: Readonly<Record<string, string>>): readonly object[] {
  return [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels },
    },
  ]
}

/** Without the keys that hold nothing: applied as null they would be fields of ours. */
export function defined(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** What every container of ours is held to (the restricted pod security standard). */
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}

const USER = 65_532

export const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  // What a volume holds is readable by the group alone.
  fsGroup: USER,
  seccompProfile: { type: 'RuntimeDefault' },
}

/** 0440 */
export const GROUP_READABLE = 0o440

type Resources = NonNullable<PodSettings['resources']>

/**
 * What a container asks for where nobody said anything: about what it uses under a moderate load. One that asks for nothing is
 * the first that a node short of memory ends.
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
  said: Resources | undefined,
): { readonly resources: object } {
  return { resources: said ?? { requests: REQUESTS[program] } }
}

/**
 * Writes an entry for a container. Kubernetes would take `$(NAME)` for a reference; here only `${NAME}` is one
 * (docs/reference/kubernetes.md#variables).
 */
export function envVariable({ name, value = '', valueFrom }: EnvEntry): object {
  if (valueFrom !== undefined) return { name, valueFrom }
  // `$$` is how it writes a `$`: all of them, or none where it would see nothing.
  return { name, value: /\$[$(]/.test(value) ? value.replaceAll('$', () => '$$') : value }
}

/** 64 bits suffice: the hash only has to differ from the previous one, and people compare it by eye. */
const CHARACTERS = 16

/**
 * Makes an annotation of a pod template from the facts that a program reads only at its start, so that a change restarts
 * its pods.
 */
export function restartAnnotation(facts: unknown): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(JSON.stringify(facts)).digest('hex')
  return { [`${GROUP}/settings`]: hash.slice(0, CHARACTERS) }
}
