import { callsNow, failedNow, failedRequestsTotal, requestsTotal } from './calls.ts'
import { podsBehind, rejectedRouters } from './control-plane.ts'
import type { DashboardPlan } from './dashboard.ts'
import { lines, stat } from './panels.ts'
import { slowestProcessor } from './processors.ts'
import { podsWithoutBus, recordsLost, sinkMostBehind } from './records.ts'
import { GATEWAY, quantile, quantiles, ROUTER, rate, rateBy } from './selectors.ts'

const memory = `process_resident_memory_bytes{${GATEWAY}} and on (namespace, pod) llm_gateway_inflight_requests`

export const overview: DashboardPlan = {
  name: 'overview',
  title: 'Overview',
  description: 'Calls of the gateways: traffic, errors, latency, tokens, and the load of the pods.',
  variables: ['namespace', 'gateway', 'router'],
  rows: [
    {
      title: 'Now',
      panels: [
        callsNow(),
        failedNow(0.01),
        stat({
          title: 'Overhead, 99 of 100',
          description:
            '99 of 100 calls spend at most this time in the gateway and its processors. The dashboard Processors shows which processors are slow.',
          unit: 's',
          badFrom: 0.25,
          queries: [
            {
              expr: quantile({ quantile: 0.99, histogram: 'llm_gateway_overhead_seconds', selector: ROUTER }),
              legend: 'overhead',
            },
          ],
        }),
        stat({
          title: 'Calls in flight',
          description: 'Calls that are being answered now.',
          unit: 'short',
          queries: [{ expr: `sum(llm_gateway_inflight_requests{${GATEWAY}})`, legend: 'calls' }],
        }),
        stat({
          title: 'Tokens',
          description: 'Tokens of prompts and answers, each second, as reported by the LLM APIs.',
          unit: 'cps',
          queries: [{ expr: rate(`gen_ai_client_token_usage_sum{${ROUTER}}`), legend: 'tokens' }],
        }),
        stat({
          title: 'Pods',
          description: 'Gateway pods with a live configuration.',
          unit: 'short',
          badBelow: 1,
          queries: [{ expr: `count(llm_gateway_config_info{${GATEWAY}})`, legend: 'pods' }],
        }),
      ],
    },
    {
      // Shows problems here that callers don't notice yet, for people who open only this dashboard.
      title: 'Problems: more on the dashboards Processors, Control plane, and Records and bus',
      panels: [slowestProcessor(), podsBehind(), rejectedRouters(), podsWithoutBus(), recordsLost(), sinkMostBehind()],
    },
    {
      title: 'Traffic and errors',
      panels: [
        lines({
          title: 'Calls by router',
          description: 'The ten busiest routers.',
          unit: 'reqps',
          queries: [{ expr: `topk(10, ${rateBy('router', requestsTotal)})`, legend: '{{router}}' }],
        }),
        lines({
          title: 'Calls by status',
          description: 'Statuses of the answers that callers got. 499 means that the caller left.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: rateBy('status', requestsTotal), legend: '{{status}}' }],
        }),
        lines({
          title: 'Errors by type',
          description:
            'caller_*: the caller’s fault; provider_*: the LLM API’s; gateway_* and policy_unavailable: the gateway or its processors.',
          unit: 'reqps',
          stacked: true,
          queries: [
            {
              expr: `${rateBy('error_type', `llm_gateway_requests_total{${ROUTER},error_type!=""}`)} or label_replace(vector(0), "error_type", "none", "", "")`,
              legend: '{{error_type}}',
            },
          ],
        }),
        lines({
          title: 'Failed calls by router',
          description: 'The ten routers with the largest share of calls that failed through no fault of the caller.',
          unit: 'percentunit',
          max: 1,
          queries: [
            {
              expr: `topk(10, (${rateBy('router', failedRequestsTotal)} or 0 * ${rateBy('router', requestsTotal)}) / ${rateBy('router', requestsTotal)})`,
              legend: '{{router}}',
            },
          ],
        }),
      ],
    },
    {
      title: 'Latency',
      panels: [
        lines({
          title: 'Whole calls',
          description: 'From the head of a request to the end of its answer, including the LLM API.',
          unit: 's',
          queries: quantiles('llm_gateway_request_seconds'),
        }),
        lines({
          title: 'Overhead',
          description: 'The part of a call outside of the LLM API: the gateway and its processors.',
          unit: 's',
          queries: quantiles('llm_gateway_overhead_seconds'),
        }),
        lines({
          title: 'First token',
          description: 'Time until a streamed answer of the LLM API began.',
          unit: 's',
          queries: quantiles('gen_ai_server_time_to_first_token'),
        }),
        lines({
          title: 'LLM API by router',
          description: 'The ten routers with the slowest LLM APIs: 95 of 100 calls take at most this time.',
          unit: 's',
          queries: [
            {
              expr: `topk(10, ${quantile({ quantile: 0.95, histogram: 'gen_ai_server_request_duration', selector: ROUTER, by: 'router' })})`,
              legend: '{{router}}',
            },
          ],
        }),
      ],
    },
    {
      title: 'Tokens and pods',
      panels: [
        lines({
          title: 'Tokens',
          description: 'Tokens of prompts (input) and of answers (output), each second.',
          unit: 'cps',
          stacked: true,
          queries: [
            {
              expr: rateBy('gen_ai_token_type', `gen_ai_client_token_usage_sum{${ROUTER}}`),
              legend: '{{gen_ai_token_type}}',
            },
          ],
        }),
        lines({
          title: 'Tokens by router',
          description: 'The ten routers that use most tokens.',
          unit: 'cps',
          queries: [
            { expr: `topk(10, ${rateBy('router', `gen_ai_client_token_usage_sum{${ROUTER}}`)})`, legend: '{{router}}' },
          ],
        }),
        lines({
          title: 'Stalls by pod',
          description: 'The longest turn of the main thread since the previous scrape, during which all calls waited.',
          unit: 's',
          queries: [
            {
              expr: `nodejs_eventloop_lag_max_seconds{${GATEWAY}} and on (namespace, pod) llm_gateway_inflight_requests`,
              legend: '{{pod}}',
            },
          ],
        }),
        lines({
          title: 'Calls in flight by pod',
          description: 'A pod that answers slowly has more than the others.',
          unit: 'short',
          queries: [{ expr: `llm_gateway_inflight_requests{${GATEWAY}}`, legend: '{{pod}}' }],
        }),
        lines({
          title: 'CPU by pod',
          description:
            'Cores that each gateway pod uses. The main thread can use one core; beyond that more pods help.',
          unit: 'none',
          queries: [
            {
              expr: `rate(process_cpu_seconds_total{${GATEWAY}}[$__rate_interval]) and on (namespace, pod) llm_gateway_inflight_requests`,
              legend: '{{pod}}',
            },
          ],
        }),
        lines({
          title: 'Memory by pod',
          description: 'Resident memory as a share of its bound, 2 × limits.buffered_bytes + 256 MiB.',
          unit: 'percentunit',
          badFrom: 0.9,
          queries: [
            {
              expr: `(${memory}) / on (namespace, pod) (2 * llm_gateway_buffered_limit_bytes{${GATEWAY}} + 268435456)`,
              legend: '{{pod}}',
            },
          ],
        }),
      ],
    },
  ],
}
