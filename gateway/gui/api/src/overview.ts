import { z } from 'zod'
import { gatewayPodSchema } from './resources.ts'

const count = z.number()

/** The state of the gateway, from its admin port. */
const gatewayStateSchema = z.discriminatedUnion('reachable', [
  z.object({ reachable: z.literal(false), message: z.string() }),
  z.object({
    reachable: z.literal(true),
    version: z.string(),
    /** The digest of the applied file. */
    digest: z.string(),
    reload: z.object({ result: z.enum(['ok', 'failed', 'waiting']), time: z.string(), reason: z.string() }),
    routers: z.object({ active: count, rejected: count, disabled: count, internal: count }),
    rejected_fields: z.record(z.string(), z.string()),
    bus: z.enum(['connected', 'disconnected']),
    /** Records on their way to the bus; null if none are made. */
    records: z
      .object({
        stream: z.string(),
        acknowledged: count,
        queued_bytes: count,
        spooled_bytes: count,
        /** Number of lost records by reason. */
        lost: z.record(z.string(), count),
      })
      .nullable(),
    inflight_requests: count.nullable(),
  }),
])
export type GatewayState = z.infer<typeof gatewayStateSchema>

/** A program of the supervisor, in start order. */
const serviceStateSchema = z.object({
  name: z.string(),
  kind: z.enum(['bus', 'gateway', 'processor', 'sink', 'web_interface', 'other']),
  state: z.enum(['healthy', 'starting', 'ended', 'unknown']),
  /** RFC 3339, the beginning of the state. */
  since: z.string().nullable(),
  /** Number of starts since the supervisor began. */
  starts: count.nullable(),
})
export type ServiceState = z.infer<typeof serviceStateSchema>

/** A program that writes records to a target; unknown values are null. */
const sinkStateSchema = z.object({
  name: z.string(),
  mode: z.string().nullable(),
  /** The target without secrets: a file name or an address. */
  target: z.string().nullable(),
  behind_records: count.nullable(),
  delivered: count.nullable(),
  refused: count.nullable(),
  /** Records that the bus dropped before the sink had them. */
  overtaken: count.nullable(),
})
export type SinkState = z.infer<typeof sinkStateSchema>

/** A processor at a call point of the live configuration, with the gateway's counts since its start. */
const processorStateSchema = z.object({
  name: z.string(),
  phase: z.enum(['request', 'response']),
  row: count,
  async: z.boolean(),
  required: z.boolean(),
  calls: count.nullable(),
  /** Number of calls without a usable answer, by outcome. */
  failures: z.record(z.string(), count),
  mean_ms: z.number().nullable(),
})
export type ProcessorState = z.infer<typeof processorStateSchema>

export const overviewSchema = z.object({
  edition: z.enum(['standalone', 'kubernetes']),
  /** Only in that edition: the shown LLMGateway, and the file that each of its pods runs. */
  kubernetes: z
    .object({
      namespace: z.string(),
      gateway: z.string(),
      mode: z.enum(['ReadOnly', 'Edit']),
      pods: z.array(gatewayPodSchema),
    })
    .optional(),
  version: z.string(),
  /** The gateway's address for callers; the host is that of the page's own address. */
  gateway_address: z.object({ scheme: z.enum(['http', 'https']), port: count }),
  gateway: gatewayStateSchema,
  bus: z.object({
    connected: z.boolean(),
    /** The kept records' sequences; null if none are kept or the bus is away. */
    stream: z.object({ first: count, last: count }).nullable(),
  }),
  services: z.array(serviceStateSchema),
  sinks: z.array(sinkStateSchema),
  processors: z.array(processorStateSchema),
  /** The current problems, as texts for people, worst first. Empty means all is well. */
  problems: z.array(z.object({ severity: z.enum(['error', 'warning']), message: z.string(), todo: z.string() })),
})
export type Overview = z.infer<typeof overviewSchema>

const series = z.array(z.number().nullable())

/** The gateway's metrics of the last minutes, one value a step; null for a step without data. */
export const chartsSchema = z.object({
  step_ms: count,
  /** Unix milliseconds, the end of each step. */
  times: z.array(count),
  /** The first is named `*` and sums all; the busiest 50 follow. */
  routers: z.array(
    z.object({
      router: z.string(),
      requests_per_second: series,
      errors_per_second: series,
      latency_ms: z.object({ p50: series, p95: series }),
      overhead_ms: z.object({ p50: series, p95: series }),
      first_token_ms: z.object({ p50: series, p95: series }),
      input_tokens_per_second: series,
      output_tokens_per_second: series,
    }),
  ),
})
export type Charts = z.infer<typeof chartsSchema>
