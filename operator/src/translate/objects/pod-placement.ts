import type { LlmGateway, PodSettings } from '@llm-gateway/crds'

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
