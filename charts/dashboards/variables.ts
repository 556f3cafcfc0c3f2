import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard'

export type VariableName = 'namespace' | 'gateway' | 'router' | 'operator'

/** The query for each variable's values; earlier variables narrow later variables. */
const VALUES: Readonly<
  Record<VariableName, { readonly label: string; readonly query: string; readonly says: string }>
> = {
  namespace: {
    label: 'Namespace',
    query: 'label_values(llm_gateway_inflight_requests, namespace)',
    says: 'Namespaces that have an LLMGateway.',
  },
  gateway: {
    label: 'Gateway',
    query: 'label_values(llm_gateway_inflight_requests{namespace=~"$namespace"}, gateway)',
    says: 'Names of LLMGateways.',
  },
  router: {
    label: 'Router',
    query: 'label_values(llm_gateway_requests_total{namespace=~"$namespace",gateway=~"$gateway"}, router)',
    says: 'Paths of routers that were called; none: calls that fit no router.',
  },
  operator: {
    label: 'Namespace of the operator',
    query: 'label_values(leader_election_master_status{name="llm-gateway-operator"}, namespace)',
    says: 'Namespaces in which an operator runs.',
  },
}

/** Returns the data source and the named variables, in this order. */
export function variables(names: readonly VariableName[]): Builder<VariableModel>[] {
  return [new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'), ...names.map(variable)]
}

/**
 * Makes a variable. "All" is `.*` instead of a list: a gateway has up to 20,000 routers, and without Kubernetes a label
 * may be missing.
 */
function variable(name: VariableName): QueryVariableBuilder {
  const { label, query, says } = VALUES[name]
  return new QueryVariableBuilder(name)
    .label(label)
    .description(says)
    .datasource({ type: 'prometheus', uid: '${datasource}' })
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ selected: true, text: ['All'], value: ['$__all'] })
}
