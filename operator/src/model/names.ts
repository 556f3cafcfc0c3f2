import type { KeyReference, LlmGateway, ObjectMeta } from '@llm-gateway/crds'

/** Names of the objects that are made for a gateway. They depend on the gateway's name alone. */
export type GatewayNames = {
  /** Deployment, Service, ServiceAccount, PodDisruptionBudget. */
  readonly gateway: string
  readonly config: string
  readonly values: string
  readonly bus: string
  /** Headless Service by which the servers of a bus find each other; PodDisruptionBudget. */
  readonly busPeers: string
  readonly token: string
  /** Service that monitoring finds the pods by. */
  readonly metrics: string
  /** Everything of its web interface, the Secret that is generated for it too. */
  readonly web: string
  /** NetworkPolicy of what is a client of the bus and nobody's server. */
  readonly clients: string
}

export function namesOf({ name }: Pick<ObjectMeta, 'name'>): GatewayNames {
  return {
    gateway: name,
    config: `${name}-config`,
    values: `${name}-values`,
    bus: `${name}-bus`,
    busPeers: `${name}-bus-peers`,
    token: `${name}-bus-token`,
    metrics: `${name}-metrics`,
    web: `${name}-web`,
    clients: `${name}-bus-clients`,
  }
}

/** Deployment and ConfigMap of one sink of a gateway. */
export function sinkName({ name }: Pick<ObjectMeta, 'name'>, kind: string): string {
  return `${name}-sink-${kind}`
}

/** Of a gateway's container: its volume for records that the bus doesn't take. */
export const SPOOL_DIR = '/app/spool'

export const GATEWAY_PORT = 5380
export const ADMIN_PORT = 9464
export const BUS_PORT = 4222
/** Between the servers of one bus. */
export const BUS_ROUTE_PORT = 6222
/** Of the bus's pod, for monitoring. */
export const BUS_METRICS_PORT = 9465
/** PROCESSOR_PORT of what the operator runs: probes and metrics. */
export const PROCESSOR_PORT = 9464

/** Of the web interface. */
export const WEB_PORT = 8080

/** Key of the generated token. */
export const TOKEN_KEY = 'token'
/** Key of what is generated for people to log in with. */
export const GUI_SECRET_KEY = 'GUI_SECRET'
/** Key of the ConfigMap: the file that pods read. */
export const CONFIG_KEY = 'gl_config.json'
/** Key of the values Secret that counts its changes. */
export const REVISION_KEY = 'REVISION'

/** Address of the gateway inside the cluster. */
export function gatewayUrl({ metadata: { name, namespace }, spec }: Pick<LlmGateway, 'metadata' | 'spec'>): string {
  return `${spec.tls?.ingress === undefined ? 'http' : 'https'}://${name}.${namespace}.svc:${GATEWAY_PORT}`
}

/** The name under which the API server keeps what the operator applied. */
export const FIELD_MANAGER = 'llm-gateway-operator'

/** Where pods read NATS_TOKEN: the named Secret, else the one that is generated once. */
export function tokenReference({ metadata, spec }: LlmGateway): KeyReference {
  return spec.bus.tokenSecretRef ?? { name: namesOf(metadata).token, key: TOKEN_KEY }
}
