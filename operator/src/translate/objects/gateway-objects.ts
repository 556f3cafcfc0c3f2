import type { LlmGateway } from '@llm-gateway/crds'
import { GATEWAY_POD_LABEL, METRICS_LABEL, ownedMetadata } from '../../model/kube-object.ts'
import type { Manifest } from '../../model/manifest.ts'
import { ADMIN_PORT, GATEWAY_PORT, namesOf } from '../../model/names.ts'
import { gatewayDeployment } from './gateway-deployment.ts'

/** Makes the objects that run a gateway's pods, in the order in which they are applied. */
export function gatewayObjects(gateway: LlmGateway, image: string): readonly Manifest[] {
  const { metadata, spec } = gateway
  const names = namesOf(metadata)
  const owned = ownedMetadata(metadata, names.gateway, 'gateway')
  const selector = { [GATEWAY_POD_LABEL]: metadata.name }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: owned, automountServiceAccountToken: false },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...owned, ...(spec.service.annotations && { annotations: spec.service.annotations }) },
      spec: {
        type: spec.service.type,
        selector,
        ports: [{ name: 'http', port: GATEWAY_PORT, targetPort: 'http', protocol: 'TCP' }],
      },
    },
    {
      // Headless, and with pods that aren't ready: monitoring wants each pod, above all the sick pods.
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...owned, name: names.metrics, labels: { ...owned.labels, [METRICS_LABEL]: 'true' } },
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector,
        ports: [{ name: 'metrics', port: ADMIN_PORT, targetPort: 'admin', protocol: 'TCP' }],
      },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: owned,
      spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
    },
    gatewayDeployment(gateway, image),
  ]
}
