import type { DashboardPlan } from './dashboard.ts'
import { lines, stat } from './panels.ts'
import { GATEWAY, rate, rateBy } from './selectors.ts'

const published = `llm_gateway_records_total{${GATEWAY},result="published"}`
const lost = `llm_gateway_records_total{${GATEWAY},result="lost"}`
const behindRecords = `max by (gateway, sink) (llm_gateway_sink_behind_records{${GATEWAY}})`
const behindSeconds = `max by (gateway, sink) (llm_gateway_sink_behind_seconds{${GATEWAY}})`

export function recordsLost(): ReturnType<typeof stat> {
  return stat({
    title: 'Records lost in an hour',
    description: 'Records that were dropped. Any value but 0 is a gap in the stored records.',
    unit: 'short',
    badFrom: 1,
    queries: [{ expr: `sum(increase(llm_gateway_records_total{${GATEWAY},result="lost"}[1h]))`, legend: 'records' }],
  })
}

export function podsWithoutBus(): ReturnType<typeof stat> {
  return stat({
    title: 'Pods without the bus',
    description: 'Gateway pods that have no connection to the bus: no processor is called, records wait.',
    unit: 'none',
    badFrom: 1,
    queries: [{ expr: `sum(1 - llm_gateway_bus_connected{${GATEWAY}})`, legend: 'pods' }],
  })
}

export function sinkMostBehind(): ReturnType<typeof stat> {
  return stat({
    title: 'Sink most behind',
    description:
      'Age of the oldest record that the slowest sink has not delivered yet. A working sink is less than a second behind.',
    unit: 's',
    badFrom: 30,
    queries: [{ expr: `max(${behindSeconds})`, legend: 'behind' }],
  })
}

export const records: DashboardPlan = {
  name: 'records',
  title: 'Records and bus',
  description: 'The way of each call’s record to its target, and the state of the bus.',
  variables: ['namespace', 'gateway'],
  rows: [
    {
      title: 'Now',
      panels: [
        stat({
          title: 'Records published',
          description: 'Records that were published each second.',
          unit: 'ops',
          queries: [{ expr: rate(published), legend: 'records' }],
        }),
        recordsLost(),
        stat({
          title: 'Fullest record queue',
          description:
            'The highest share of limits.record_queue_bytes that a pod uses. While calls and records wait for room, the oldest records go to the spool.',
          unit: 'percentunit',
          badFrom: 0.8,
          queries: [
            {
              expr: `max(llm_gateway_record_queue_bytes{${GATEWAY}} / llm_gateway_record_queue_limit_bytes{${GATEWAY}})`,
              legend: 'queue',
            },
          ],
        }),
        podsWithoutBus(),
        stat({
          title: 'Bus',
          description: 'Servers of the bus that answer.',
          unit: 'none',
          badBelow: 1,
          queries: [{ expr: `sum(llm_bus_up{${GATEWAY}})`, legend: 'servers' }],
        }),
        sinkMostBehind(),
      ],
    },
    {
      title: 'Records',
      panels: [
        lines({
          title: 'Published and lost',
          description:
            'Records each second. Acknowledged records are stored in the bus’s stream. Lost records are shown by reason.',
          unit: 'ops',
          queries: [
            { expr: rate(published), legend: 'published' },
            { expr: rate(`llm_gateway_records_acknowledged_total{${GATEWAY}}`), legend: 'acknowledged' },
            { expr: rateBy('reason', lost), legend: 'lost: {{reason}}' },
          ],
        }),
        lines({
          title: 'Record queue by pod',
          description: 'Bytes of records that wait for the bus, as a share of limits.record_queue_bytes.',
          unit: 'percentunit',
          badFrom: 0.8,
          queries: [
            {
              expr: `llm_gateway_record_queue_bytes{${GATEWAY}} / llm_gateway_record_queue_limit_bytes{${GATEWAY}}`,
              legend: '{{pod}}',
            },
          ],
        }),
        lines({
          title: 'Waits for room',
          description:
            'Calls and records per second that waited for room in the record queue. Each waits for at most record.wait_ms.',
          unit: 'ops',
          queries: [{ expr: rateBy('pod', `llm_gateway_record_waits_total{${GATEWAY}}`), legend: '{{pod}}' }],
        }),
        lines({
          title: 'Spool by pod',
          description: 'Bytes of records that wait on a pod’s disk for the bus.',
          unit: 'bytes',
          queries: [{ expr: `llm_gateway_records_spooled_bytes{${GATEWAY}}`, legend: '{{pod}}' }],
        }),
        lines({
          title: 'Oldest record of the spool',
          description: 'Age of the oldest record on a pod’s disk.',
          unit: 's',
          queries: [{ expr: `llm_gateway_records_oldest_spooled_seconds{${GATEWAY}}`, legend: '{{pod}}' }],
        }),
        lines({
          title: 'Connected to the bus',
          description: 'Gateway pods and processor pods: 1 connected, 0 not.',
          unit: 'none',
          max: 1,
          queries: [
            { expr: `llm_gateway_bus_connected{${GATEWAY}}`, legend: 'gateway {{pod}}' },
            { expr: `llm_processor_bus_connected{${GATEWAY}}`, legend: '{{processor}} {{pod}}' },
          ],
        }),
      ],
    },
    {
      title: 'Sinks',
      panels: [
        lines({
          title: 'Age of the oldest undelivered record',
          description: 'By sink. A line that rises with the time means that the sink delivers nothing.',
          unit: 's',
          queries: [{ expr: behindSeconds, legend: '{{gateway}} {{sink}}' }],
        }),
        lines({
          title: 'Records yet to deliver',
          description: 'By sink. A growing line means that the sink is slower than calls make records.',
          unit: 'short',
          queries: [{ expr: behindRecords, legend: '{{gateway}} {{sink}}' }],
        }),
        lines({
          title: 'Records delivered',
          description: 'By sink, each second.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy('gateway, sink', `llm_gateway_sink_delivered_total{${GATEWAY}}`),
              legend: '{{gateway}} {{sink}}',
            },
          ],
        }),
        lines({
          title: 'Records refused and overtaken',
          description:
            'Refused: the target does not accept the record, which becomes a dead letter; overtaken: the stream dropped the record before the sink read it.',
          unit: 'ops',
          queries: ['refused', 'overtaken'].map((outcome) => ({
            expr: rateBy('gateway, sink', `llm_gateway_sink_${outcome}_total{${GATEWAY}}`),
            legend: `{{gateway}} {{sink}} ${outcome}`,
          })),
        }),
        lines({
          title: 'Readers of streams: waiting',
          description: 'Messages that the bus has not sent to each durable reader yet.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (stream, consumer) (llm_bus_consumer_waiting_messages{${GATEWAY}})`,
              legend: '{{stream}} {{consumer}}',
            },
          ],
        }),
        lines({
          title: 'Readers of streams: unacknowledged',
          description:
            'Messages that a reader got and has not acknowledged. A number that stays high means that the reader’s target does not answer.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (stream, consumer) (llm_bus_consumer_unacknowledged_messages{${GATEWAY}})`,
              legend: '{{stream}} {{consumer}}',
            },
          ],
        }),
      ],
    },
    {
      title: 'Bus',
      panels: [
        lines({
          title: 'Messages',
          description: 'Messages that came in and went out, each second.',
          unit: 'ops',
          queries: [
            { expr: rateBy('pod, direction', `llm_bus_messages_total{${GATEWAY}}`), legend: '{{pod}} {{direction}}' },
          ],
        }),
        lines({
          title: 'Bytes',
          description: 'Bytes that came in and went out, each second.',
          unit: 'Bps',
          queries: [
            { expr: rateBy('pod, direction', `llm_bus_bytes_total{${GATEWAY}}`), legend: '{{pod}} {{direction}}' },
          ],
        }),
        lines({
          title: 'Store',
          description: 'Bytes that JetStream stores, as a share of its limit. Full streams drop their oldest messages.',
          unit: 'percentunit',
          max: 1,
          queries: [
            {
              expr: `llm_bus_store_bytes{${GATEWAY}} / llm_bus_store_limit_bytes{${GATEWAY}}`,
              legend: '{{pod}} {{store}}',
            },
          ],
        }),
        lines({
          title: 'Streams',
          description: 'Bytes of each stream.',
          unit: 'bytes',
          queries: [{ expr: `max by (stream) (llm_bus_stream_bytes{${GATEWAY}})`, legend: '{{stream}}' }],
        }),
        lines({
          title: 'Connections',
          description: 'Connections that are open.',
          unit: 'short',
          queries: [{ expr: `llm_bus_connections{${GATEWAY}}`, legend: '{{pod}}' }],
        }),
        lines({
          title: 'Slow readers and refusals',
          description:
            'Connections that the bus closed because they read too slowly, and requests that JetStream refused, each second.',
          unit: 'ops',
          queries: [
            { expr: rate(`llm_bus_slow_consumers_total{${GATEWAY}}`), legend: 'slow readers' },
            { expr: rate(`llm_bus_store_errors_total{${GATEWAY}}`), legend: 'refused' },
          ],
        }),
      ],
    },
  ],
}
