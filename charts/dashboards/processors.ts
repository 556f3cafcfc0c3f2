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
      'The time that 95 of 100 calls of the slowest processor take at most. Callers wait for this processor unless it is called after the answer.',
    unit: 's',
    badFrom: 0.25,
    queries: [{ expr: `max(${timeByProcessor})`, legend: 'slowest' }],
  })
}

export const processors: DashboardPlan = {
  name: 'processors',
  title: 'Processors',
  description: 'The time that processors add to calls, their failures, and their waiting messages.',
  variables: ['namespace', 'gateway'],
  rows: [
    {
      title: 'Now',
      panels: [
        slowestProcessor(),
        stat({
          title: 'Failed',
          description: 'The share of calls of processors that failed: no answer in time, or no processor on the bus.',
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
          description: 'Messages that wait in all processors.',
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
      title: 'Measured by gateways',
      panels: [
        lines({
          title: 'Time by processor',
          description:
            'The time that 95 of 100 calls of a processor take at most, including the bus. Synchronous rows add this time to the call.',
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
          description: 'The share of a processor’s calls that failed.',
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
            'completed: the processor wrote fields; nothing: the reply had no fields; failed: no answer in time.',
          unit: 'ops',
          stacked: true,
          queries: [{ expr: rateBy('processor, outcome', calls), legend: '{{processor}} {{outcome}}' }],
        }),
        lines({
          title: 'Calls refused for a required processor',
          description: 'Calls that got 503, by router, at most ten.',
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
      title: 'Measured by processors',
      panels: [
        lines({
          title: 'Time from a message to its answer',
          description:
            'The time of 95 of 100 messages, including their wait. If this is slow too, the processor is slow and not the bus.',
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
          description: 'dropped: too many messages waited; expired: the gateway no longer waited for the answer.',
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
          description: 'By pod. A number that stays high means that the processor needs more replicas.',
          unit: 'short',
          queries: [{ expr: `llm_processor_waiting_messages{${GATEWAY}}`, legend: '{{processor}} {{pod}}' }],
        }),
        lines({
          title: 'Messages in work',
          description: 'Messages that a pod works on now.',
          unit: 'short',
          queries: [{ expr: `llm_processor_inflight_messages{${GATEWAY}}`, legend: '{{processor}} {{pod}}' }],
        }),
      ],
    },
    {
      title: 'Broker, content filter and faults',
      panels: [
        lines({
          title: 'Members of pools',
          description:
            'Members of the broker’s pools. 1: the broker may choose the member; 0: the member failed recently.',
          unit: 'none',
          max: 1,
          queries: [
            { expr: `min by (pool, member) (llm_broker_member_enabled{${GATEWAY}})`, legend: '{{pool}} {{member}}' },
          ],
        }),
        lines({
          title: 'Choices of members',
          description: 'The broker’s calls to pools, by chosen member.',
          unit: 'reqps',
          stacked: true,
          queries: [
            { expr: rateBy('pool, member', `llm_broker_chosen_total{${GATEWAY}}`), legend: '{{pool}} {{member}}' },
          ],
        }),
        lines({
          title: 'Results of the content filter',
          description: 'Requests that were scored; toxic ones were rejected.',
          unit: 'reqps',
          stacked: true,
          queries: [
            { expr: rateBy('verdict', `llm_content_filter_requests_total{${GATEWAY}}`), legend: '{{verdict}}' },
          ],
        }),
        lines({
          title: 'Unexpected failures',
          description: 'Faults outside of messages; each has a log line. Any value but 0 is a fault of the processor.',
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
