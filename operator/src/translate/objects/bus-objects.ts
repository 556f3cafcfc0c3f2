import type { LlmGateway } from '@llm-gateway/crds'
import { BUS_POD_LABEL, type KubeObject, ownedMetadata } from '../kube-object.ts'
import { BUS_PORT, namesOf } from '../names.ts'
import { podPlacement } from './pod-placement.ts'
import { podResources } from './pod-resources.ts'
import { CONTAINER_SECURITY, GROUP_READABLE, POD_SECURITY } from './pod-security.ts'
import { bytesOf } from './quantity.ts'
import { startsAnewWith } from './starts-anew-with.ts'
import { tokenReference } from './token-reference.ts'

const CONFIG_DIR = '/etc/nats'
const CONFIG_FILE = 'nats-server.conf'
const STORE_DIR = '/data'
/** The volume's limit evicts the pod: the server stops before it. */
const STORE_SHARE = 0.8

/** The managed bus: one server whose state lives as long as its pod. */
export function busObjects(gateway: LlmGateway, image: string): readonly KubeObject[] {
  if (gateway.spec.bus.type !== 'Managed') return []
  const { metadata, spec } = gateway
  const { bus } = namesOf(metadata)
  const owned = ownedMetadata(metadata, bus, 'bus')
  const selector = { [BUS_POD_LABEL]: metadata.name }
  const size = spec.bus.managed.storage.emptyDir
  const config = serverConfig(bytesOf(size))
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: owned, data: { [CONFIG_FILE]: config } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: owned,
      spec: { selector, ports: [{ name: 'nats', port: BUS_PORT, targetPort: 'nats', protocol: 'TCP' }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: owned,
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
            containers: [container(gateway, image)],
            volumes: [
              { name: 'config', configMap: { name: bus, defaultMode: GROUP_READABLE } },
              { name: 'store', emptyDir: { sizeLimit: size } },
            ],
          },
        },
      },
    },
  ]
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
    livenessProbe: { tcpSocket: { port: 'nats' }, periodSeconds: 10, failureThreshold: 6 },
    ...podResources('bus', undefined),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'config', mountPath: CONFIG_DIR, readOnly: true },
      { name: 'store', mountPath: STORE_DIR },
    ],
  }
}

/** $NATS_TOKEN is the server's own reference; max_payload as everywhere: the default loses records (wire, 1.2). */
function serverConfig(storageBytes: number): string {
  return `listen: "0.0.0.0:${BUS_PORT}"
authorization { token: $NATS_TOKEN }
max_payload: 32MB
max_pending: 256MB
jetstream { store_dir: "${STORE_DIR}", domain: "bus", max_mem: 64MB, max_file: ${Math.floor(storageBytes * STORE_SHARE)} }
`
}
