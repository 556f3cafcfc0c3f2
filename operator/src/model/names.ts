import type { KeyReference, LlmGateway, ObjectMeta } from '@llm-gateway/crds'

/** Names of a gateway's objects. They depend on the gateway's name alone. */
export type GatewayNames = {
  /** Deployment, Service, ServiceAccount, PodDisruptionBudget. */
  readonly gateway: string
  readonly config: string
  readonly values: string
  readonly bus: string
  /** Headless Service by which the servers of a bus find each other, and PodDisruptionBudget. */
  readonly busPeers: string
  readonly token: string
  /** Service by which monitoring finds the pods. */
  readonly metrics: string
  /** All objects of its web interface, with its generated Secret. */
  readonly web: string
  /** NetworkPolicy of the bus's clients that serve no calls: Processors and sinks. */
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

/** Returns the name of a sink's Deployment and ConfigMap. */
export function sinkName({ name }: Pick<ObjectMeta, 'name'>, kind: string): string {
  return `${name}-sink-${kind}`
}

/** The mount path of a gateway's volume for records that the bus doesn't take. */
export const SPOOL_DIR = '/app/spool'

export const GATEWAY_PORT = 5380
export const ADMIN_PORT = 9464
export const BUS_PORT = 4222
/** The port between the servers of one bus. */
export const BUS_ROUTE_PORT = 6222
/** The port of the bus's pod for monitoring. */
export const BUS_METRICS_PORT = 9465
/** The port of a Processor's probes and metrics, in PROCESSOR_PORT. */
export const PROCESSOR_PORT = 9464

/** The port of the web interface. */
export const WEB_PORT = 8080

/** The key of the generated token in its Secret. */
export const TOKEN_KEY = 'token'
/** The key of the generated login secret in its Secret. */
export const GUI_SECRET_KEY = 'GUI_SECRET'
/** The ConfigMap's key, and the name of the file that pods read. */
export const CONFIG_KEY = 'gl_config.json'
/** The key of the values Secret that counts its changes. */
export const REVISION_KEY = 'REVISION'

/** Returns the gateway's address inside the cluster. */
export function gatewayUrl({ metadata: { name, namespace }, spec }: Pick<LlmGateway, 'metadata' | 'spec'>): string {
  return `${spec.tls?.ingress === undefined ? 'http' : 'https'}://${name}.${namespace}.svc:${GATEWAY_PORT}`
}

/** The field manager of all that the operator applies. */
export const FIELD_MANAGER = 'llm-gateway-operator'

/** Returns where pods read NATS_TOKEN: the named Secret, else the generated Secret. */
export function tokenReference({ metadata, spec }: LlmGateway): KeyReference {
  return spec.bus.tokenSecretRef ?? { name: namesOf(metadata).token, key: TOKEN_KEY }
}
