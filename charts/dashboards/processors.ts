import type { DashboardPlan } from './dashboard.ts'
import { lines, stat } from './panels.ts'
import { GATEWAY, quantile, rate, rateBy } from './selectors.ts'

const calls = `llm_gateway_processor_seconds_count{${GATEWAY}}`
const failed = `llm_gateway_processor_seconds_count{${GATEWAY},outcome="failed"}`
const required = `llm_gateway_requests_total{${GATEWAY},error_type="policy_unavailable"}`
const timeByProcessor = quantile({
  quantile: 0.95,
  histogram: 'llm_gateway_processor_seconds',
  selector: GATEWAY,
  by: 'processor',
})

export function slowestProcessor(): ReturnType<typeof stat> {
  return stat({
    title: 'Slowest processor',
    description:
      'The time that 95 of 100 calls of the slowest processor take at most. Callers wait for it, unless it works after the answer.',
    unit: 's',
    badFrom: 0.25,
    queries: [{ expr: `max(${timeByProcessor})`, legend: 'slowest' }],
  })
}

export const processors: DashboardPlan = {
  name: 'processors',
  title: 'Processors',
  description: 'What processors cost each call, which fail, and which have more messages than they can work on.',
  variables: ['namespace', 'gateway'],
  rows: [
    {
      title: 'Now',
      panels: [
        slowestProcessor(),
        stat({
          title: 'Failed',
          description: 'The share of calls of processors that failed: no answer in time, or nobody there.',
          unit: 'percentunit',
          badFrom: 0.01,
          queries: [{ expr: `(${rate(failed)} or vector(0)) / ${rate(calls)}`, legend: 'failed' }],
        }),
        stat({
          title: 'Refused calls',
          description: 'Calls that got 503 because a required processor failed, each second.',
          unit: 'reqps',
          badFrom: 0.01,
          queries: [{ expr: `${rate(required)} or vector(0)`, legend: 'calls' }],
        }),
        stat({
          title: 'Messages that wait',
          description: 'In all processors.',
          unit: 'short',
          queries: [{ expr: `sum(llm_processor_waiting_messages{${GATEWAY}})`, legend: 'messages' }],
        }),
        stat({
          title: 'Overloaded',
          description: 'Processor pods that drop messages.',
          unit: 'none',
          badFrom: 1,
          queries: [{ expr: `sum(llm_processor_overloaded{${GATEWAY}})`, legend: 'pods' }],
        }),
        stat({
          title: 'Without the bus',
          description: 'Processor pods that have no connection to the bus.',
          unit: 'none',
          badFrom: 1,
          queries: [{ expr: `sum(1 - llm_processor_bus_connected{${GATEWAY}})`, legend: 'pods' }],
        }),
      ],
    },
    {
      title: 'As gateways see them',
      panels: [
        lines({
          title: 'Time by processor',
          description:
            'What 95 of 100 calls of a processor take at most, the bus included. Rows that wait add it to the call.',
          unit: 's',
          queries: [
            {
              expr: timeByProcessor,
              legend: '{{processor}}',
            },
          ],
        }),
        lines({
          title: 'Failures by processor',
          description: 'The share of its calls that failed.',
          unit: 'percentunit',
          max: 1,
          queries: [
            {
              expr: `(${rateBy('processor', failed)} or 0 * ${rateBy('processor', calls)}) / ${rateBy('processor', calls)}`,
              legend: '{{processor}}',
            },
          ],
        }),
        lines({
          title: 'Calls by processor',
          description:
            'completed: the processor wrote fields; nothing: it had nothing to say; failed: no answer in time.',
          unit: 'ops',
          stacked: true,
          queries: [{ expr: rateBy('processor, outcome', calls), legend: '{{processor}} {{outcome}}' }],
        }),
        lines({
          title: 'Calls refused for a required processor',
          description: 'By router, at most ten: these callers get 503.',
          unit: 'reqps',
          queries: [
            {
              expr: `topk(10, ${rateBy('router', required)} or 0 * ${rateBy('router', `llm_gateway_requests_total{${GATEWAY}}`)})`,
              legend: '{{router}}',
            },
          ],
        }),
      ],
    },
    {
      title: 'As they see themselves',
      panels: [
        lines({
          title: 'Time from a message to its answer',
          description: '95 of 100 messages, the wait for a turn included. Slow here too: the processor, not the bus.',
          unit: 's',
          queries: [
            {
              expr: quantile({
                quantile: 0.95,
                histogram: 'llm_processor_seconds',
                selector: GATEWAY,
                by: 'processor',
              }),
              legend: '{{processor}}',
            },
          ],
        }),
        lines({
          title: 'Messages by outcome',
          description: 'dropped: too many waited; expired: the gateway no longer waited when their turn came.',
          unit: 'ops',
          stacked: true,
          queries: [
            {
              expr: `${rateBy('processor, outcome', `llm_processor_messages_total{${GATEWAY}}`)} > 0`,
              legend: '{{processor}} {{outcome}}',
            },
          ],
        }),
        lines({
          title: 'Messages that wait',
          description: 'By pod. A number that stays up: this processor needs more replicas.',
          unit: 'short',
          queries: [{ expr: `llm_processor_waiting_messages{${GATEWAY}}`, legend: '{{processor}} {{pod}}' }],
        }),
        lines({
          title: 'Messages under work',
          description: 'By pod.',
          unit: 'short',
          queries: [{ expr: `llm_processor_inflight_messages{${GATEWAY}}`, legend: '{{processor}} {{pod}}' }],
        }),
      ],
    },
    {
      title: 'Single ones',
      panels: [
        lines({
          title: 'Members of pools',
          description: 'The broker: 1: the member may be chosen; 0: it failed lately.',
          unit: 'none',
          max: 1,
          queries: [
            { expr: `min by (pool, member) (llm_broker_member_enabled{${GATEWAY}})`, legend: '{{pool}} {{member}}' },
          ],
        }),
        lines({
          title: 'Choices of members',
          description: 'The broker: calls to pools by the member they went to.',
          unit: 'reqps',
          stacked: true,
          queries: [
            { expr: rateBy('pool, member', `llm_broker_chosen_total{${GATEWAY}}`), legend: '{{pool}} {{member}}' },
          ],
        }),
        lines({
          title: 'Verdicts of the content filter',
          description: 'Requests that were scored; toxic ones were rejected.',
          unit: 'reqps',
          stacked: true,
          queries: [
            { expr: rateBy('verdict', `llm_content_filter_requests_total{${GATEWAY}}`), legend: '{{verdict}}' },
          ],
        }),
        lines({
          title: 'Unexpected failures',
          description:
            'Faults that no message waited for; each has a log line. Anything but 0 is a fault of the processor.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy('processor', `llm_processor_background_failures_total{${GATEWAY}}`),
              legend: '{{processor}}',
            },
          ],
        }),
      ],
    },
  ],
}
