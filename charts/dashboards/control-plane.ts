import type { DashboardPlan } from './dashboard.ts'
import { lines, stat, table } from './panels.ts'
import { GATEWAY, OPERATOR, quantile, rateBy } from './selectors.ts'

/** Limits series to our operators: other controllers use the same metric names. */
const ours = 'on (namespace, pod) leader_election_master_status{name="llm-gateway-operator"}'
const live = `llm_gateway_config_info{${GATEWAY}}`
const since = `llm_gateway_config_live_timestamp_seconds{${GATEWAY}}`
const lag = { histogram: 'llm_gateway_operator_programmed_lag_seconds', selector: OPERATOR }

/** Pods with the digest of the configuration that went live last. */
const newest = `(${live} and on (namespace, gateway, pod) (${since} == on (namespace, gateway) group_left () max by (namespace, gateway) (${since})))`
const behind = `(${live} unless on (namespace, gateway, digest) ${newest})`

export function podsBehind(): ReturnType<typeof stat> {
  return stat({
    title: 'Pods behind',
    description: 'Gateway pods without the newest configuration of their gateway.',
    unit: 'none',
    badFrom: 1,
    queries: [{ expr: `count(${behind}) or vector(0)`, legend: 'pods' }],
  })
}

export function rejectedRouters(): ReturnType<typeof stat> {
  return stat({
    title: 'Rejected routers',
    description: 'Routers that a gateway left out of its configuration, the largest number of any pod.',
    unit: 'none',
    badFrom: 1,
    queries: [{ expr: `max(llm_gateway_routers{${GATEWAY},state="rejected"})`, legend: 'routers' }],
  })
}

export const controlPlane: DashboardPlan = {
  name: 'control-plane',
  title: 'Control plane',
  description: 'The time until an edit is live in every pod, and the work of the operator.',
  variables: ['operator', 'namespace', 'gateway'],
  rows: [
    {
      title: 'From an edit to every pod',
      panels: [
        stat({
          title: 'Leaders',
          description:
            'Operators that lead. Without a leader edits have no effect. Each installation of a class has one leader.',
          unit: 'none',
          badBelow: 1,
          queries: [
            {
              expr: `sum(leader_election_master_status{name="llm-gateway-operator",${OPERATOR}}) or vector(0)`,
              legend: 'leaders',
            },
          ],
        }),
        podsBehind(),
        stat({
          title: 'Unusable files',
          description: 'Gateway pods with an unusable configuration file. They keep the previous configuration.',
          unit: 'none',
          badFrom: 1,
          queries: [{ expr: `sum(llm_gateway_reload_failed{${GATEWAY}})`, legend: 'pods' }],
        }),
        rejectedRouters(),
        stat({
          title: 'Active routers',
          description: 'Routers that answer calls, the largest number of any pod.',
          unit: 'none',
          queries: [{ expr: `max(llm_gateway_routers{${GATEWAY},state="active"})`, legend: 'routers' }],
        }),
        stat({
          title: 'Programmed, 90 of 100',
          description:
            'The time from an edit of a Router until every pod had it, for 90 of 100 edits of the last hour.',
          unit: 's',
          badFrom: 30,
          without: 'no edit',
          queries: [
            {
              expr: `histogram_quantile(0.9, sum by (le) (increase(llm_gateway_operator_programmed_lag_seconds_bucket{${OPERATOR}}[1h])))`,
              legend: 'lag',
            },
          ],
        }),
        lines({
          title: 'Time behind the newest configuration',
          description:
            'Time for which another pod of the gateway has had a newer configuration than this pod; 0 if this pod has it.',
          unit: 's',
          queries: [
            {
              expr: `max by (gateway, pod) ((${behind} * on (namespace, gateway) group_left () (time() - max by (namespace, gateway) (${since}))) or on (namespace, gateway, pod) (0 * ${since}))`,
              legend: '{{gateway}} {{pod}}',
            },
          ],
        }),
        table({
          title: 'Live configuration of each pod',
          description: 'Pods of one gateway have the same digest, except for seconds after an edit.',
          unit: 'none',
          expr: `max by (namespace, gateway, pod, digest) (${live})`,
          columns: { namespace: 'Namespace', gateway: 'Gateway', pod: 'Pod', digest: 'Digest' },
        }),
        lines({
          title: 'Programmed lag',
          description: 'Time from an edit of a Router until every pod used it.',
          unit: 's',
          queries: [0.5, 0.99].map((share) => ({
            expr: quantile({ quantile: share, ...lag }),
            legend: `${share * 100} of 100`,
          })),
        }),
        lines({
          title: 'Configurations read',
          description: 'Reloads of the configuration file by pods, by result.',
          unit: 'ops',
          stacked: true,
          queries: [{ expr: rateBy('result', `llm_gateway_reloads_total{${GATEWAY}}`), legend: '{{result}}' }],
        }),
      ],
    },
    {
      title: 'The operator',
      panels: [
        lines({
          title: 'Waiting gateways',
          description:
            'Gateways that wait for a reconciliation. A number that stays high means that the operator can’t keep up.',
          unit: 'short',
          queries: [{ expr: `workqueue_depth{${OPERATOR},name="llmgateway"}`, legend: '{{pod}}' }],
        }),
        lines({
          title: 'Wait and work, 99 of 100',
          description: 'Time that a gateway waits for its reconciliation, and time of a reconciliation.',
          unit: 's',
          queries: [
            {
              expr: quantile({
                quantile: 0.99,
                histogram: 'workqueue_queue_duration_seconds',
                selector: `${OPERATOR},name="llmgateway"`,
              }),
              legend: 'wait',
            },
            {
              expr: quantile({
                quantile: 0.99,
                histogram: 'workqueue_work_duration_seconds',
                selector: `${OPERATOR},name="llmgateway"`,
              }),
              legend: 'work',
            },
          ],
        }),
        lines({
          title: 'Reconciliations',
          description: 'Reconciliations of gateways and their resources, by result.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy('result', `controller_runtime_reconcile_total{${OPERATOR},controller="llmgateway"}`),
              legend: '{{result}}',
            },
          ],
        }),
        lines({
          title: 'Calls of the API server',
          description:
            'By method and status. 409: another client wrote first; 403: a right is missing; 429: too many calls.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (method, code) (rate(rest_client_requests_total{${OPERATOR}}[$__rate_interval]) and ${ours})`,
              legend: '{{method}} {{code}}',
            },
          ],
        }),
        lines({
          title: 'Resources by state',
          description: 'LLMGateways, Routers and Processors by state.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (kind, state) (llm_gateway_operator_resources{${OPERATOR}}) > 0`,
              legend: '{{kind}} {{state}}',
            },
          ],
        }),
        lines({
          title: 'Memory of the operator',
          description: 'Resident memory of each operator pod.',
          unit: 'bytes',
          queries: [{ expr: `process_resident_memory_bytes{${OPERATOR}} and ${ours}`, legend: '{{pod}}' }],
        }),
      ],
    },
  ],
}
