import type { V1NetworkPolicyEgressRule, V1NetworkPolicyPeer, V1NetworkPolicyPort } from '@kubernetes/client-node'
import type { LlmGateway } from '@llm-gateway/crds'
import { BUS_POD_LABEL, GATEWAY_POD_LABEL, ownedMetadata, WEB_POD_LABEL } from '../../../model/kube-object.ts'
import type { JsonOf, NetworkPolicy } from '../../../model/manifest.ts'
import { ADMIN_PORT, BUS_PORT, GATEWAY_PORT, namesOf, WEB_PORT } from '../../../model/names.ts'
import { busAddress } from '../../gateway/gateway-settings.ts'

/**
 * Ports of a cluster's DNS. On OpenShift it listens on another port than its Service's, and policies see the port on
 * which it listens.
 */
const DNS_PORTS = [53, 5353]
/**
 * Ports of API servers as distributions install them. No label selects an API server, and policies see the port on
 * which it listens, not its Service's. Policies add up: people with another port let these pods out by a policy of
 * their own.
 */
const API_SERVER_PORTS = [443, 6443, 8443, 16443]

/** Makes the policy of the web interface, in both directions, since its pod holds the bus's token and its account's. */
export function webPolicy(gateway: LlmGateway): NetworkPolicy {
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

/** No label selects an external bus either, so only its port is limited. */
function toBus(gateway: LlmGateway, to: readonly JsonOf<V1NetworkPolicyPeer>[]): JsonOf<V1NetworkPolicyEgressRule> {
  if (gateway.spec.bus.type === 'Managed') return { to, ports: [tcp(BUS_PORT)] }
  return { ports: [tcp(Number(busAddress(gateway).split(':')[1] ?? BUS_PORT))] }
}

function tcp(port: number): JsonOf<V1NetworkPolicyPort> {
  return { port, protocol: 'TCP' }
}
