import type { PodSettings } from '@llm-gateway/crds'

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
