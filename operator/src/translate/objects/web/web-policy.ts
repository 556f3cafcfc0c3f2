import type { LlmGateway } from '@llm-gateway/crds'
import {
  BUS_POD_LABEL,
  GATEWAY_POD_LABEL,
  type KubeObject,
  ownedMetadata,
  WEB_POD_LABEL,
} from '../../../model/kube-object.ts'
import { ADMIN_PORT, BUS_PORT, GATEWAY_PORT, namesOf, WEB_PORT } from '../../../model/names.ts'
import { busAddress } from '../../gateway/gateway-settings.ts'

/** Of a cluster's DNS; where it listens on another port than its Service has (OpenShift) policies see that one. */
const DNS_PORTS = [53, 5353]
/**
 * Of API servers as distributions install them. No label says where an API server is, and policies see the port that it
 * listens on, not that of its Service. Policies add up: who has it elsewhere lets these pods out by one of his own.
 */
const API_SERVER_PORTS = [443, 6443, 8443, 16443]

/** Who may reach the web interface of a gateway, and what it may reach: it holds the bus's token and one of its account. */
export function webPolicy(gateway: LlmGateway): KubeObject {
  const { metadata } = gateway
  const toPods = (label: string) => [{ podSelector: { matchLabels: { [label]: metadata.name } } }]
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: ownedMetadata(metadata, namesOf(metadata).web, 'web'),
    spec: {
      podSelector: { matchLabels: { [WEB_POD_LABEL]: metadata.name } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [tcp(WEB_PORT)] }],
      egress: [
        { to: toPods(GATEWAY_POD_LABEL), ports: [tcp(GATEWAY_PORT), tcp(ADMIN_PORT)] },
        toBus(gateway, toPods(BUS_POD_LABEL)),
        { ports: API_SERVER_PORTS.map(tcp) },
        { ports: DNS_PORTS.flatMap((port) => [tcp(port), { port, protocol: 'UDP' }]) },
      ],
    },
  }
}

/** Where an external bus is, no label says either. */
function toBus(gateway: LlmGateway, to: readonly object[]): object {
  if (gateway.spec.bus.type === 'Managed') return { to, ports: [tcp(BUS_PORT)] }
  return { ports: [tcp(Number(busAddress(gateway).split(':')[1] ?? BUS_PORT))] }
}

function tcp(port: number): object {
  return { port, protocol: 'TCP' }
}
