import type { V1Container, V1EnvVar, V1PersistentVolumeClaim, V1Probe, V1Volume } from '@kubernetes/client-node'
import type { LlmGateway } from '@llm-gateway/crds'
import { BUS_POD_LABEL, ownedMetadata } from '../../model/kube-object.ts'
import type { JsonOf, Manifest, OwnedMetadata } from '../../model/manifest.ts'
import { BUS_METRICS_PORT, BUS_PORT, BUS_ROUTE_PORT, namesOf, tokenReference } from '../../model/names.ts'
import { busStart } from './bus-command.ts'
import type { BusImage } from './bus-image.ts'
import {
  CONTAINER_SECURITY,
  GROUP_READABLE,
  POD_SECURITY,
  podPlacement,
  podResources,
  restartAnnotation,
  spreadOverNodes,
} from './pod-template.ts'
import { bytesOf, canonicalQuantity } from './quantity.ts'

const CONFIG_DIR = '/etc/nats'
const CONFIG_FILE = 'nats-server.conf'
const STORE = 'store'
const STORE_DIR = '/data'
const USUAL_SIZE = '1Gi'
const MONITOR = '127.0.0.1:8222'
/** The server's share of its volume, since a pod that reaches the volume's limit is evicted. */
const STORE_SHARE = 0.8

/** Makes the objects of a managed bus: one server or a cluster of three, with storage in emptyDirs or in claims. */
export function busObjects(
  gateway: LlmGateway,
  { image, annotations }: BusImage,
  isPlainToken: boolean,
): readonly Manifest[] {
  if (gateway.spec.bus.type !== 'Managed') return []
  const { metadata, spec } = gateway
  const { bus, busPeers } = namesOf(metadata)
  const { replicas } = spec.bus.managed
  const owned = ownedMetadata(metadata, bus, 'bus')
  const selector = { [BUS_POD_LABEL]: metadata.name }
  const store = storeOf(gateway)
  const config = serverConfig(gateway, bytesOf(store.size))
  const isCluster = replicas > 1
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: owned, data: { [CONFIG_FILE]: config } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: owned,
      spec: {
        // A single server stays reachable while its exporter isn't ready. Of three servers only the ready servers are
        // reachable.
        ...(isCluster ? {} : { publishNotReadyAddresses: true }),
        selector,
        ports: [{ name: 'nats', port: BUS_PORT, targetPort: 'nats', protocol: 'TCP' }],
      },
    },
    ...(isCluster ? peerObjects({ ...owned, name: busPeers }, selector) : []),
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { ...owned, annotations },
      spec: {
        replicas,
        serviceName: isCluster ? busPeers : bus,
        // The default never replaces a pod that doesn't become ready, so somebody would have to delete a pod with a
        // wrong image. With `Parallel`, too, an edit replaces one server after the other, each when the server before
        // is ready.
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: { ...owned.labels, ...selector }, annotations: restartAnnotation(config) },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 30,
            securityContext: POD_SECURITY,
            ...podPlacement(spec),
            ...(isCluster ? { topologySpreadConstraints: spreadOverNodes(selector) } : {}),
            containers: [container(gateway, image, isPlainToken), exporter(gateway, image)],
            volumes: [{ name: 'config', configMap: { name: bus, defaultMode: GROUP_READABLE } }, ...store.volumes],
          },
        },
        volumeClaimTemplates: store.claims,
      },
    },
  ]
}

/**
 * Makes a cluster's further objects: a Service that names servers before they are ready, and a disruption budget of
 * one.
 */
function peerObjects(metadata: OwnedMetadata, selector: Readonly<Record<string, string>>): readonly Manifest[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector,
        ports: [{ name: 'routes', port: BUS_ROUTE_PORT, targetPort: 'routes', protocol: 'TCP' }],
      },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
    },
  ]
}

type BusStore = {
  readonly size: string
  readonly volumes: readonly JsonOf<V1Volume>[]
  /** Unset: the volume goes with its pod. By default a claim stays when its StatefulSet is deleted. */
  readonly claims?: readonly JsonOf<V1PersistentVolumeClaim>[]
}

function storeOf({ spec }: LlmGateway): BusStore {
  const { emptyDir = USUAL_SIZE, claim } = spec.bus.managed.storage
  if (claim === undefined) return { size: emptyDir, volumes: [{ name: STORE, emptyDir: { sizeLimit: emptyDir } }] }
  const { size, storageClassName = '' } = claim
  const claimSpec = {
    accessModes: ['ReadWriteOnce'],
    ...(storageClassName === '' ? {} : { storageClassName }),
    resources: { requests: { storage: canonicalQuantity(size) } },
  }
  return { size, volumes: [], claims: [{ metadata: { name: STORE }, spec: claimSpec }] }
}

/**
 * Makes the container that gives Prometheus the numbers of the server's monitor. The monitor itself answers inside the
 * pod only, since it tells too much. For the bus's liveness the container also checks that the bus stores messages and
 * has disk space.
 */
function exporter(gateway: LlmGateway, image: string): JsonOf<V1Container> {
  const probe = { httpGet: { path: '/healthz', port: 'metrics' } }
  return {
    name: 'exporter',
    image,
    command: ['node', '/app/processors/bus-exporter/src/main.ts'],
    env: [
      { name: 'BUS_MONITOR', value: `http://${MONITOR}` },
      { name: 'EXPORTER_PORT', value: String(BUS_METRICS_PORT) },
      { name: 'GATEWAY_HOST', value: `127.0.0.1:${BUS_PORT}` },
      { name: 'NATS_TOKEN', valueFrom: { secretKeyRef: tokenReference(gateway) } },
      { name: 'BUS_PREFIX', value: gateway.spec.bus.prefix },
      { name: 'BUS_STORE', value: STORE_DIR },
      ...(gateway.spec.bus.managed.replicas > 1 ? [{ name: 'BUS_CLUSTER', value: 'true' }] : []),
    ],
    ports: [{ name: 'metrics', containerPort: BUS_METRICS_PORT }],
    // No readiness probe: the bus serves without its exporter, too.
    livenessProbe: { ...probe, periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
    ...podResources('exporter', undefined),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [{ name: STORE, mountPath: STORE_DIR }],
  }
}

function container(gateway: LlmGateway, image: string, isPlainToken: boolean): JsonOf<V1Container> {
  const { name, key } = tokenReference(gateway)
  const isCluster = gateway.spec.bus.managed.replicas > 1
  const start = busStart(isPlainToken, `${CONFIG_DIR}/${CONFIG_FILE}`, isCluster ? routeHosts(gateway) : [])
  const asked = (path: string): JsonOf<V1Probe> => ({ httpGet: { path, port: BUS_METRICS_PORT } })
  return {
    name: 'bus',
    image,
    command: start.command,
    env: [
      { name: 'BUS_TOKEN', valueFrom: { secretKeyRef: { name, key } } },
      // Earlier versions wrote this order. Another order would change the template and restart every bus.
      ...start.env.filter(({ name }) => name === 'NATS_TOKEN'),
      ...(isCluster ? SERVER_NAME : []),
      ...start.env.filter(({ name }) => name !== 'NATS_TOKEN'),
    ],
    ports: [
      { name: 'nats', containerPort: BUS_PORT },
      ...(isCluster ? [{ name: 'routes', containerPort: BUS_ROUTE_PORT }] : []),
    ],
    // A server of a cluster is ready when it has caught up. Only then the next server is replaced.
    readinessProbe: isCluster
      ? { ...asked('/readyz?of=bus'), periodSeconds: 2, timeoutSeconds: 5 }
      : { tcpSocket: { port: 'nats' }, periodSeconds: 2 },
    // The exporter answers for the bus. An exporter of an older image ignores the query and answers for itself.
    livenessProbe: { ...asked('/healthz?of=bus'), periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
    ...podResources('bus', undefined),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'config', mountPath: CONFIG_DIR, readOnly: true },
      { name: STORE, mountPath: STORE_DIR },
    ],
  }
}

const SERVER_NAME: readonly JsonOf<V1EnvVar>[] = [
  { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'SERVER_NAME', value: '"$(POD_NAME)"' },
]

/**
 * Returns the addresses of a cluster's servers. The token opens routes, too, so its holder is trusted with everything.
 */
function routeHosts({ metadata, spec }: LlmGateway): readonly string[] {
  const { bus, busPeers } = namesOf(metadata)
  const servers = Array.from({ length: spec.bus.managed.replicas }, (_, index) => `${bus}-${index}.${busPeers}`)
  return servers.map((server) => `${server}.${metadata.namespace}.svc:${BUS_ROUTE_PORT}`)
}

/**
 * Returns the bus's configuration file. The server itself resolves `$NATS_TOKEN`. `max_payload` is the all-in-one's,
 * since the server's default loses records (docs/reference/configuration-rules.md#files-of-the-other-programs).
 */
function serverConfig({ metadata, spec }: LlmGateway, storageBytes: number): string {
  const { replicas } = spec.bus.managed
  const alone = `listen: "0.0.0.0:${BUS_PORT}"
http: "${MONITOR}"
authorization { token: $NATS_TOKEN }
max_payload: 32MB
max_pending: 256MB
jetstream { store_dir: "${STORE_DIR}", domain: "bus", max_mem: 64MB, max_file: ${Math.floor(storageBytes * STORE_SHARE)} }
`
  if (replicas === 1) return alone
  const routes = Array.from({ length: replicas }, (_, index) => `$ROUTE_${index}`).join(', ')
  return `${alone}server_name: $SERVER_NAME
cluster {
  name: "${namesOf(metadata).bus}"
  listen: "0.0.0.0:${BUS_ROUTE_PORT}"
  authorization { user: "route", password: $NATS_TOKEN, timeout: 5 }
  routes: [${routes}]
}
`
}
