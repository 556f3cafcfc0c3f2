import { Counter, Gauge, Registry } from 'prom-client'
import { arrayAt, numberAt, textAt } from './json-members.ts'
import type { BusAnswers } from './read-bus.ts'

type Metric = {
  readonly name: string
  readonly help: string
  readonly path: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
}

const COUNTERS: readonly Metric[] = [
  { name: 'llm_bus_connections_total', help: 'Connections that were accepted.', path: ['total_connections'] },
  {
    name: 'llm_bus_slow_consumers_total',
    help: 'Connections cut because they read too slowly.',
    path: ['slow_consumers'],
  },
  ...(['in', 'out'] as const).flatMap((direction) => [
    {
      name: 'llm_bus_messages_total',
      help: 'Messages that came in and went out.',
      path: [`${direction}_msgs`],
      labels: { direction },
    },
    {
      name: 'llm_bus_bytes_total',
      help: 'Bytes of messages that came in and went out.',
      path: [`${direction}_bytes`],
      labels: { direction },
    },
  ]),
]

const GAUGES: readonly Metric[] = [
  { name: 'llm_bus_connections', help: 'Connections that are open.', path: ['connections'] },
  { name: 'llm_bus_subscriptions', help: 'Subscriptions of all connections.', path: ['subscriptions'] },
  { name: 'llm_bus_memory_bytes', help: 'Resident memory of the server.', path: ['mem'] },
]

const STORES = [
  { store: 'file', used: 'storage', limit: 'max_storage' },
  { store: 'memory', used: 'memory', limit: 'max_memory' },
] as const

/** Returns the Prometheus text of the bus's answers. An unreachable bus has only `llm_bus_up` and `llm_bus_stores`. */
export async function busMetrics({
  varz,
  jsz,
  stores,
}: BusAnswers & { readonly stores?: boolean | undefined }): Promise<string> {
  const families = new Families()
  families.gauge(
    'llm_bus_up',
    '1 when the bus answered on its monitoring port, else 0.',
    {},
    varz === undefined ? 0 : 1,
  )
  families.gauge(
    'llm_bus_stores',
    '1 while the bus stores messages, else 0; absent without BUS_STORE, and before the first answer.',
    {},
    stores === undefined ? undefined : Number(stores),
  )
  for (const { name, help, path, labels = {} } of COUNTERS)
    families.counter(name, help, labels, numberAt(varz, ...path))
  for (const { name, help, path, labels = {} } of GAUGES) families.gauge(name, help, labels, numberAt(varz, ...path))
  for (const { store, used, limit } of STORES) {
    families.gauge('llm_bus_store_bytes', 'Bytes that JetStream keeps.', { store }, numberAt(jsz, used))
    families.gauge(
      'llm_bus_store_limit_bytes',
      'Most bytes that JetStream may keep.',
      { store },
      numberAt(jsz, 'config', limit),
    )
  }
  families.counter(
    'llm_bus_store_errors_total',
    'Requests to JetStream that were refused.',
    {},
    numberAt(jsz, 'api', 'errors'),
  )
  for (const account of arrayAt(jsz, 'account_details')) {
    for (const stream of arrayAt(account, 'stream_detail')) streamMetrics(families, stream)
  }
  return families.text()
}

function streamMetrics(families: Families, detail: unknown): void {
  const stream = textAt(detail, 'name')
  families.gauge('llm_bus_stream_messages', 'Messages of a stream.', { stream }, numberAt(detail, 'state', 'messages'))
  families.gauge('llm_bus_stream_bytes', 'Bytes of a stream.', { stream }, numberAt(detail, 'state', 'bytes'))
  for (const consumer of arrayAt(detail, 'consumer_detail')) {
    // Other consumers have random names and come and go; each would add a series.
    const durable = textAt(consumer, 'config', 'durable_name')
    if (durable === '') continue
    const labels = { stream, consumer: durable }
    const waiting = numberAt(consumer, 'num_pending')
    const unacknowledged = numberAt(consumer, 'num_ack_pending')
    families.gauge(
      'llm_bus_consumer_waiting_messages',
      'Messages of a stream that a durable consumer has yet to get.',
      labels,
      waiting,
    )
    families.gauge(
      'llm_bus_consumer_unacknowledged_messages',
      'Messages that a durable consumer got and has not acknowledged.',
      labels,
      unacknowledged,
    )
  }
}

/** The metrics of one scrape. A stream or consumer that the bus has lost also disappears from the metrics. */
class Families {
  readonly #registry = new Registry()

  counter(name: string, help: string, labels: Readonly<Record<string, string>>, value: number | undefined): void {
    if (value === undefined) return
    const registers = [this.#registry]
    const known = this.#registry.getSingleMetric(name)
    const family =
      known instanceof Counter ? known : new Counter({ name, help, labelNames: Object.keys(labels), registers })
    family.inc({ ...labels }, value)
  }

  gauge(name: string, help: string, labels: Readonly<Record<string, string>>, value: number | undefined): void {
    if (value === undefined) return
    const registers = [this.#registry]
    const known = this.#registry.getSingleMetric(name)
    const family =
      known instanceof Gauge ? known : new Gauge({ name, help, labelNames: Object.keys(labels), registers })
    // Sums streams of the same name in two accounts.
    family.inc({ ...labels }, value)
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
