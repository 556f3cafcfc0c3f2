import { callsNow, failedNow, requestsTotal } from './calls.ts'
import type { DashboardPlan } from './dashboard.ts'
import { lines, stat } from './panels.ts'
import { quantile, quantiles, ROUTER, rate, rateBy } from './selectors.ts'

export const router: DashboardPlan = {
  name: 'router',
  title: 'Router',
  description:
    'The calls of one or several routers, the answers of their LLM APIs, and the time of each part of a call.',
  variables: ['namespace', 'gateway', 'router'],
  rows: [
    {
      title: 'Now',
      panels: [
        callsNow(),
        failedNow(0.05),
        stat({
          title: 'Whole call, 95 of 100',
          description: 'From the head of a request to the end of its answer.',
          unit: 's',
          queries: [
            {
              expr: quantile({ quantile: 0.95, histogram: 'llm_gateway_request_seconds', selector: ROUTER }),
              legend: 'calls',
            },
          ],
        }),
        stat({
          title: 'LLM API, 95 of 100',
          description: 'Time until the LLM API had answered.',
          unit: 's',
          queries: [
            {
              expr: quantile({ quantile: 0.95, histogram: 'gen_ai_server_request_duration', selector: ROUTER }),
              legend: 'LLM API',
            },
          ],
        }),
        stat({
          title: 'Overhead, 95 of 100',
          description: 'The part of a call outside of the LLM API: the gateway and its processors.',
          unit: 's',
          queries: [
            {
              expr: quantile({ quantile: 0.95, histogram: 'llm_gateway_overhead_seconds', selector: ROUTER }),
              legend: 'overhead',
            },
          ],
        }),
        stat({
          title: 'Tokens of a call',
          description: 'Average tokens of prompt and answer together.',
          unit: 'short',
          queries: [
            {
              expr: `${rate(`gen_ai_client_token_usage_sum{${ROUTER}}`)} / ${rate(`gen_ai_client_token_usage_count{${ROUTER},gen_ai_token_type="output"}`)}`,
              legend: 'tokens',
            },
          ],
        }),
      ],
    },
    {
      title: 'Calls',
      panels: [
        lines({
          title: 'Calls by status',
          description: 'Statuses of the answers that callers got.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: rateBy('router, status', requestsTotal), legend: '{{router}} {{status}}' }],
        }),
        lines({
          title: 'Errors by type',
          description:
            'caller_*: the caller’s fault; provider_*: the LLM API’s; gateway_* and policy_*: the gateway’s or its processors’.',
          unit: 'reqps',
          stacked: true,
          queries: [
            {
              expr: `${rateBy('router, error_type', `llm_gateway_requests_total{${ROUTER},error_type!=""}`)} or 0 * ${rateBy('router', requestsTotal)}`,
              legend: '{{router}} {{error_type}}',
            },
          ],
        }),
      ],
    },
    {
      title: 'Where the time goes',
      panels: [
        lines({
          title: 'Whole calls',
          description: 'From the head of a request to the end of its answer.',
          unit: 's',
          queries: quantiles('llm_gateway_request_seconds'),
        }),
        lines({
          title: 'LLM API',
          description: 'Time until the LLM API had answered.',
          unit: 's',
          queries: quantiles('gen_ai_server_request_duration'),
        }),
        lines({
          title: 'Overhead',
          description:
            'The time of the gateway and its processors. If only this is slow, see the dashboard Processors.',
          unit: 's',
          queries: quantiles('llm_gateway_overhead_seconds'),
        }),
        lines({
          title: 'First token',
          description: 'Time until a streamed answer of the LLM API began.',
          unit: 's',
          queries: quantiles('gen_ai_server_time_to_first_token'),
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
          title: 'Calls by pod',
          description: 'Calls by pod. Long-lived connections may load pods unevenly.',
          unit: 'reqps',
          queries: [{ expr: rateBy('pod', requestsTotal), legend: '{{pod}}' }],
        }),
      ],
    },
  ],
}
