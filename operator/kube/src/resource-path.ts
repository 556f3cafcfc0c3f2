import { API_VERSION } from '@llm-gateway/crds'

/** Every kind that is read or written → its place in the API. */
const COLLECTIONS = {
  LLMGateway: { base: `/apis/${API_VERSION}`, plural: 'llmgateways' },
  Router: { base: `/apis/${API_VERSION}`, plural: 'routers' },
  Processor: { base: `/apis/${API_VERSION}`, plural: 'processors' },
  Namespace: { base: '/api/v1', plural: 'namespaces' },
  Secret: { base: '/api/v1', plural: 'secrets' },
  ConfigMap: { base: '/api/v1', plural: 'configmaps' },
  Service: { base: '/api/v1', plural: 'services' },
  ServiceAccount: { base: '/api/v1', plural: 'serviceaccounts' },
  Pod: { base: '/api/v1', plural: 'pods' },
  Deployment: { base: '/apis/apps/v1', plural: 'deployments' },
  ReplicaSet: { base: '/apis/apps/v1', plural: 'replicasets' },
  StatefulSet: { base: '/apis/apps/v1', plural: 'statefulsets' },
  Event: { base: '/apis/events.k8s.io/v1', plural: 'events' },
  Lease: { base: '/apis/coordination.k8s.io/v1', plural: 'leases' },
  NetworkPolicy: { base: '/apis/networking.k8s.io/v1', plural: 'networkpolicies' },
  RoleBinding: { base: '/apis/rbac.authorization.k8s.io/v1', plural: 'rolebindings' },
  PodDisruptionBudget: { base: '/apis/policy/v1', plural: 'poddisruptionbudgets' },
} as const

export type Kind = keyof typeof COLLECTIONS

export function isKind(text: string): text is Kind {
  return Object.hasOwn(COLLECTIONS, text)
}

/** Returns the path to all objects of a kind, in all namespaces. */
export function collectionPath(kind: Kind): string {
  const { base, plural } = COLLECTIONS[kind]
  return `${base}/${plural}`
}

/** Returns the path to the objects of a kind in one namespace. */
export function namespacePath(kind: Kind, namespace: string): string {
  const { base, plural } = COLLECTIONS[kind]
  return `${base}/namespaces/${encodeURIComponent(namespace)}/${plural}`
}

export type ObjectReference = { readonly kind: Kind; readonly namespace: string; readonly name: string }

export function objectPath({ kind, namespace, name }: ObjectReference): string {
  return `${namespacePath(kind, namespace)}/${encodeURIComponent(name)}`
}
