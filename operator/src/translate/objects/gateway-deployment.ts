import type { V1Container, V1Volume } from '@kubernetes/client-node'
import type { LlmGateway } from '@llm-gateway/crds'
import { GATEWAY_POD_LABEL, ownedMetadata } from '../../model/kube-object.ts'
import type { Deployment, JsonOf } from '../../model/manifest.ts'
import { ADMIN_PORT, GATEWAY_PORT, namesOf, SPOOL_DIR, tokenReference } from '../../model/names.ts'
import { gatewaySettings } from '../gateway/gateway-settings.ts'
import {
  CONTAINER_SECURITY,
  envVariable,
  GROUP_READABLE,
  POD_SECURITY,
  podPlacement,
  podResources,
  restartAnnotation,
  spreadOverNodes,
} from './pod-template.ts'
import { bytesOf } from './quantity.ts'
import { INGRESS_VARIABLE, mountedAuthorities, mountedCertificate, speaksTls, tlsSettings } from './tls.ts'

const DELIVERY_DIR = '/etc/llm-gateway'
/** Seconds that the kubelet and the process need beyond draining. */
const GRACE_SECONDS = 15
const MIB = 1024 * 1024
/**
 * A pod whose volume exceeds its limit is evicted. This margin, for half-read and very large records, makes the spool
 * full before the volume is.
 */
const SPOOL_MORE_MIB = 256

/**
 * Makes the Deployment of a gateway. Its template holds only facts that need a restart, so that a Router's edit never
 * rolls a pod.
 */
export function gatewayDeployment(gateway: LlmGateway, image: string): Deployment {
  const { metadata, spec } = gateway
  const names = namesOf(metadata)
  const selector = { [GATEWAY_POD_LABEL]: metadata.name }
  const owned = ownedMetadata(metadata, names.gateway, 'gateway')
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: owned,
    spec: {
      replicas: spec.replicas,
      // The new pod comes first, so that a rollout loses no call.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: { ...owned.labels, ...selector }, annotations: restartAnnotation(fixedSettings(gateway)) },
        spec: {
          serviceAccountName: names.gateway,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: spec.limits.drainDelaySeconds + spec.limits.drainSeconds + GRACE_SECONDS,
          securityContext: POD_SECURITY,
          ...podPlacement(spec),
          topologySpreadConstraints: spreadOverNodes(selector),
          containers: [container(gateway, image)],
          volumes: [
            delivery(names.config, names.values),
            spool(spec.record.spool.size),
            ...mountedCertificate(gateway).volumes,
            ...mountedAuthorities(gateway).volumes,
          ],
        },
      },
    },
  }
}

function container(gateway: LlmGateway, image: string): JsonOf<V1Container> {
  const { spec } = gateway
  const { name, key } = tokenReference(gateway)
  const probe = (path: string) => ({ httpGet: { path, port: 'admin' } })
  return {
    name: 'gateway',
    image,
    command: ['node', '/app/gateway/src/main.ts', '-o', `${DELIVERY_DIR}/gl_config.json`],
    env: [
      { name: 'SECRETS_DIR', value: DELIVERY_DIR },
      { name: 'NATS_TOKEN', valueFrom: { secretKeyRef: { name, key } } },
      { name: INGRESS_VARIABLE, value: String(speaksTls(gateway)) },
      ...(spec.env ?? []).map(envVariable),
    ],
    ports: [
      { name: 'http', containerPort: GATEWAY_PORT },
      { name: 'admin', containerPort: ADMIN_PORT },
    ],
    // Ready means that a configuration is live, even one with broken Routers.
    readinessProbe: { ...probe('/readyz'), periodSeconds: 2, failureThreshold: 2, timeoutSeconds: 2 },
    startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 60, timeoutSeconds: 2 },
    livenessProbe: { ...probe('/healthz'), periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 },
    ...podResources('gateway', spec.pod?.resources),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'delivery', mountPath: DELIVERY_DIR, readOnly: true },
      { name: 'spool', mountPath: SPOOL_DIR },
      ...mountedCertificate(gateway).volumeMounts,
      ...mountedAuthorities(gateway).volumeMounts,
    ],
  }
}

/** Returns the settings that the gateway reads only at its start. All others of the file take effect live. */
function fixedSettings(gateway: LlmGateway): object {
  const { service_bus, record, spool } = gatewaySettings(gateway)
  return { service_bus, record, spool, ...tlsSettings(gateway, () => true) }
}

/**
 * One volume holds file and values, without `items`: the kubelet swaps both by one rename, so that no new configuration
 * meets old values (docs/reference/kubernetes.md#delivery). The ConfigMap comes first: the kubelet reads the sources in
 * this order, and the operator writes them in the reverse order.
 */
function delivery(config: string, values: string): JsonOf<V1Volume> {
  const sources = [{ configMap: { name: config } }, { secret: { name: values } }]
  return { name: 'delivery', projected: { defaultMode: GROUP_READABLE, sources } }
}

/** The spool outlives its container and not its pod. */
function spool(size: string): JsonOf<V1Volume> {
  return { name: 'spool', emptyDir: { sizeLimit: `${Math.ceil(bytesOf(size) / MIB) + SPOOL_MORE_MIB}Mi` } }
}
