import type { LlmGateway } from '@llm-gateway/crds'
import { BUS_POD_LABEL, type KubeObject, ownedMetadata } from '../kube-object.ts'
import { BUS_METRICS_PORT, BUS_PORT, namesOf } from '../names.ts'
import type { BusImage } from './bus-image.ts'
import { defined, podPlacement } from './pod-placement.ts'
import { podResources } from './pod-resources.ts'
import { CONTAINER_SECURITY, GROUP_READABLE, POD_SECURITY } from './pod-security.ts'
import { bytesOf, canonicalQuantity } from './quantity.ts'
import { startsAnewWith } from './starts-anew-with.ts'
import { tokenReference } from './token-reference.ts'

const CONFIG_DIR = '/etc/nats'
const CONFIG_FILE = 'nats-server.conf'
const STORE = 'store'
const STORE_DIR = '/data'
const USUAL_SIZE = '1Gi'
const MONITOR = '127.0.0.1:8222'
/** The volume's limit evicts the pod: the server stops before it. */
const STORE_SHARE = 0.8

/** The managed bus: one server, whose records and state live as long as its pod or stay in a claim. */
export function busObjects(gateway: LlmGateway, { image, annotations }: BusImage): readonly KubeObject[] {
  if (gateway.spec.bus.type !== 'Managed') return []
  const { metadata, spec } = gateway
  const { bus } = namesOf(metadata)
  const owned = ownedMetadata(metadata, bus, 'bus')
  const selector = { [BUS_POD_LABEL]: metadata.name }
  const store = storeOf(gateway)
  const config = serverConfig(bytesOf(store.size))
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: owned, data: { [CONFIG_FILE]: config } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: owned,
      // A pod isn't ready while its exporter isn't: the bus is reached all the same.
      spec: {
        publishNotReadyAddresses: true,
        selector,
        ports: [{ name: 'nats', port: BUS_PORT, targetPort: 'nats', protocol: 'TCP' }],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { ...owned, annotations },
      spec: {
        replicas: 1,
        serviceName: bus,
        // The default never replaces a pod that doesn't get ready: a wrong image would need a person's hand.
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: { ...owned.labels, ...selector }, annotations: startsAnewWith(config) },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 30,
            securityContext: POD_SECURITY,
            ...podPlacement(spec),
            containers: [container(gateway, image), exporter(gateway, image)],
            volumes: [{ name: 'config', configMap: { name: bus, defaultMode: GROUP_READABLE } }, ...store.volumes],
          },
        },
        ...defined({ volumeClaimTemplates: store.claims }),
      },
    },
  ]
}

type BusStore = {
  readonly size: string
  readonly volumes: readonly object[]
  /** Unset: the volume is the pod's. What becomes of a claim when the StatefulSet goes is left at its default: it stays. */
  readonly claims?: readonly object[]
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
 * What Prometheus reads of the server's monitor, which answers inside the pod only: it tells too much to others. It also
 * looks whether the bus stores what is published, and whether its disk has room, for the bus's liveness.
 */
function exporter(gateway: LlmGateway, image: string): object {
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
    ],
    ports: [{ name: 'metrics', containerPort: BUS_METRICS_PORT }],
    // No readiness of its own: without it the bus serves all the same.
    livenessProbe: { ...probe, periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
    ...podResources('exporter', undefined),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [{ name: STORE, mountPath: STORE_DIR }],
  }
}

function container(gateway: LlmGateway, image: string): object {
  const { name, key } = tokenReference(gateway)
  return {
    name: 'bus',
    image,
    command: ['/usr/bin/nats-server', '-c', `${CONFIG_DIR}/${CONFIG_FILE}`],
    env: [
      { name: 'BUS_TOKEN', valueFrom: { secretKeyRef: { name, key } } },
      // Quoted: the server's parser takes 123456, true or 4k for something else than a text.
      { name: 'NATS_TOKEN', value: '"$(BUS_TOKEN)"' },
    ],
    ports: [{ name: 'nats', containerPort: BUS_PORT }],
    readinessProbe: { tcpSocket: { port: 'nats' }, periodSeconds: 2 },
    // The exporter's answer; one of an older image, which doesn't know the question, says that it is well itself.
    livenessProbe: {
      httpGet: { path: '/healthz?of=bus', port: BUS_METRICS_PORT },
      periodSeconds: 10,
      failureThreshold: 6,
      timeoutSeconds: 5,
    },
    ...podResources('bus', undefined),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'config', mountPath: CONFIG_DIR, readOnly: true },
      { name: STORE, mountPath: STORE_DIR },
    ],
  }
}

/** $NATS_TOKEN is the server's own reference; max_payload as everywhere: the default loses records (wire, 1.2). */
function serverConfig(storageBytes: number): string {
  return `listen: "0.0.0.0:${BUS_PORT}"
http: "${MONITOR}"
authorization { token: $NATS_TOKEN }
max_payload: 32MB
max_pending: 256MB
jetstream { store_dir: "${STORE_DIR}", domain: "bus", max_mem: 64MB, max_file: ${Math.floor(storageBytes * STORE_SHARE)} }
`
}
