import type {
  V1LabelSelector,
  V1NetworkPolicyIngressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
} from '@kubernetes/client-node'
import { GROUP, type LlmGateway } from '@llm-gateway/crds'
import {
  BUS_POD_LABEL,
  COMPONENT_LABEL,
  type Component,
  GATEWAY_POD_LABEL,
  ownedMetadata,
} from '../../model/kube-object.ts'
import type { JsonOf, NetworkPolicy } from '../../model/manifest.ts'
import {
  ADMIN_PORT,
  BUS_METRICS_PORT,
  BUS_PORT,
  BUS_ROUTE_PORT,
  GATEWAY_PORT,
  namesOf,
  PROCESSOR_PORT,
} from '../../model/names.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { webPolicy } from './web/web-policy.ts'

/** The API server puts this label on every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'
/** The label of the operator's pods as shipped. */
const OPERATOR_POD = { 'app.kubernetes.io/name': 'llm-gateway-operator' }
/** The label of namespaces whose pods may read metrics. */
const MONITORING_NAMESPACE = { [`${GROUP}/monitoring`]: 'true' }

const MONITORING: JsonOf<V1NetworkPolicyPeer> = { namespaceSelector: { matchLabels: MONITORING_NAMESPACE } }

type Selector = JsonOf<V1LabelSelector>
type Ingress = readonly JsonOf<V1NetworkPolicyIngressRule>[]

/**
 * Makes the policies, which choose by labels who reaches which port. Only the gateway's own pods and the operator reach
 * the bus; only operator, monitoring and web interface reach the admin port (docs/reference/kubernetes.md#trust).
 * Policies add up: people admit a reader of their own to the bus by a policy of their own.
 */
export function networkPolicies(
  gateway: LlmGateway,
  { operatorNamespace, operatorLabels = {} }: Pick<Snapshot, 'operatorNamespace' | 'operatorLabels'>,
): readonly NetworkPolicy[] {
  const hasOwnLabels = Object.keys(operatorLabels).length > 0
  const operator = {
    namespaceSelector: { matchLabels: { [NAME_LABEL]: operatorNamespace } },
    podSelector: { matchLabels: hasOwnLabels ? operatorLabels : OPERATOR_POD },
  }
  const { metadata, spec } = gateway
  const names = namesOf(metadata)
  const policy = (name: string, component: Component, podSelector: Selector, ingress: Ingress): NetworkPolicy => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: ownedMetadata(metadata, name, component),
    spec: { podSelector, policyTypes: ['Ingress'], ingress },
  })
  const isCluster = spec.bus.managed.replicas > 1
  const busPods = { [BUS_POD_LABEL]: metadata.name }
  const bus = policy(names.bus, 'bus', { matchLabels: busPods }, [
    ...(isCluster ? [{ from: [{ podSelector: { matchLabels: busPods } }], ports: [port(BUS_ROUTE_PORT)] }] : []),
    { from: [{ podSelector: podsOf(gateway, ['gateway', 'processor', 'sink', 'web']) }], ports: [port(BUS_PORT)] },
    // The operator deletes the consumers of removed sinks and raises the number of copies of records.
    { from: [operator], ports: [port(BUS_PORT)] },
    { from: [MONITORING], ports: [port(BUS_METRICS_PORT)] },
  ])
  return [
    ...(spec.bus.type === 'Managed' ? [bus] : []),
    policy(names.gateway, 'gateway', { matchLabels: { [GATEWAY_POD_LABEL]: metadata.name } }, [
      { ports: [port(GATEWAY_PORT)] },
      { from: [operator, MONITORING], ports: [port(ADMIN_PORT)] },
      ...(spec.webInterface === undefined
        ? []
        : [{ from: [{ podSelector: podsOf(gateway, ['web']) }], ports: [port(ADMIN_PORT)] }]),
    ]),
    ...(spec.webInterface === undefined ? [] : [webPolicy(gateway)]),
    // Processors and sinks call and are never called. Only the port that monitoring reads is open.
    policy(names.clients, 'gateway', podsOf(gateway, ['processor', 'sink']), [
      { from: [MONITORING], ports: [port(PROCESSOR_PORT)] },
    ]),
  ]
}

/** Selects pods by the labels that every pod of the gateway carries. */
function podsOf(gateway: LlmGateway, components: readonly Component[]): Selector {
  const { [COMPONENT_LABEL]: _, ...labels } = ownedMetadata(gateway.metadata, '', 'gateway').labels
  return {
    matchLabels: labels,
    matchExpressions: [{ key: COMPONENT_LABEL, operator: 'In', values: components }],
  }
}

function port(number: number): JsonOf<V1NetworkPolicyPort> {
  return { port: number, protocol: 'TCP' }
}
