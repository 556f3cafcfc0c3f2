import { z } from 'zod'
import { gatewayPodSchema } from './resource.ts'

const count = z.number()

/** The state of the gateway, from its admin port. */
const gatewayStateSchema = z.discriminatedUnion('reachable', [
  z.object({
    reachable: z.literal(false).describe('True if the admin port answers; on Kubernetes, that of at least one pod.'),
    message: z
      .string()
      .describe('The reason why the gateway does not answer, for people. Only if `reachable` is false.'),
  }),
  z.object({
    reachable: z.literal(true).describe('True if the admin port answers; on Kubernetes, that of at least one pod.'),
    version: z
      .string()
      .describe(
        'The version of the gateway’s program. Only if `reachable` is true, like all fields of `gateway` below.',
      ),
    digest: z.string().describe('The SHA-256 of the configuration in force, as `sha256:` and 64 hexadecimal digits.'),
    reload: z
      .object({
        result: z
          .enum(['ok', 'failed', 'waiting'])
          .describe(
            '`ok`: the file is in force. `failed`: the former one stays. `waiting`: values of Secrets are not there yet.',
          ),
        time: z.string().describe('RFC 3339: the end of this reading.'),
        reason: z.string().describe('The code of the failure, or of what is awaited; empty for `ok`.'),
      })
      .describe(
        'The last reading of gl_config.json. On Kubernetes the reading of one pod, if possible of a pod where it failed.',
      ),
    routers: z
      .object({
        active: count.describe('Routers that callers can use.'),
        rejected: count.describe('Routers that can’t run, for the reasons in `rejected_fields`.'),
        disabled: count.describe('Routers with `disabled`.'),
        internal: count.describe('Routers with `internal`, which only pools and processors use.'),
      })
      .describe('The number of routers by state.'),
    rejected_fields: z
      .record(z.string(), z.string())
      .describe('The path of each rejected field and its reason, at most 16.'),
    bus: z
      .enum(['connected', 'disconnected'])
      .describe('The gateway’s connection to the bus. On Kubernetes `disconnected` if one pod has none.'),
    records: z
      .object({
        stream: z
          .string()
          .describe(
            'Whether the bus keeps records: `on`, `off`, `missing` (it keeps nothing), `failing` (it refuses records) or `unknown` (before the first record). On Kubernetes the state that one pod reports.',
          ),
        acknowledged: count.describe('Records that the bus has acknowledged since the gateway’s start.'),
        queued_bytes: count.describe('Bytes of records that wait in memory.'),
        spooled_bytes: count.describe('Bytes of records that wait on disk.'),
        lost: z.record(z.string(), count).describe('The number of lost records since the gateway’s start, by reason.'),
      })
      .nullable()
      .describe('Records on their way to the bus, on Kubernetes the sums of all pods; null if the gateway makes none.'),
    inflight_requests: count
      .nullable()
      .describe('Calls that are being answered now; null on Kubernetes, and if the metrics can’t be read.'),
  }),
])
export type GatewayState = z.infer<typeof gatewayStateSchema>

/** A program of the supervisor, in start order; on Kubernetes a Deployment. */
const serviceStateSchema = z.object({
  name: z.string().describe('The name in ginit_config.json; on Kubernetes that of the Deployment.'),
  kind: z.enum(['bus', 'gateway', 'processor', 'sink', 'web_interface', 'other']).describe('The kind of the program.'),
  state: z
    .enum(['healthy', 'starting', 'ended', 'unknown'])
    .describe(
      '`healthy`, `starting` or `ended`, as the supervisor says; `unknown` without a supervisor. On Kubernetes `healthy`: all pods are ready; `ended`: the rollout is stuck.',
    ),
  since: z
    .string()
    .nullable()
    .describe('RFC 3339: the beginning of the state; null if it is not known, as on Kubernetes.'),
  starts: count
    .nullable()
    .describe('The number of starts since the supervisor started; null if it is not known, as on Kubernetes.'),
})
export type ServiceState = z.infer<typeof serviceStateSchema>

/** A program that writes records to a target. On Kubernetes only its name is known. */
const sinkStateSchema = z.object({
  name: z.string().describe('The name of the sink.'),
  mode: z
    .string()
    .nullable()
    .describe(
      'The kind of the sink’s target, such as `s3_writer`; null for a sink without a target, and on Kubernetes.',
    ),
  target: z
    .string()
    .nullable()
    .describe('The file of a sink with the mode `file_writer`; null for other modes, and on Kubernetes.'),
  behind_records: count
    .nullable()
    .describe(
      'Kept records that the sink has not settled yet; null if neither the bus nor the sink reports the number, as on Kubernetes.',
    ),
  delivered: count
    .nullable()
    .describe(
      'Records that the target has taken since the sink’s start; null if the sink does not report the number, as on Kubernetes.',
    ),
  refused: count
    .nullable()
    .describe(
      'Records that the target has refused since the sink’s start; null if the sink does not report the number, as on Kubernetes.',
    ),
  overtaken: count
    .nullable()
    .describe(
      'Records that the bus dropped before the sink received them, counted since the sink’s start; null if the sink does not report the number, as on Kubernetes.',
    ),
})
export type SinkState = z.infer<typeof sinkStateSchema>

/** A processor at a call point of the live configuration, with the gateway's counts since its start. */
const processorStateSchema = z.object({
  name: z.string().describe('The name of the processor.'),
  phase: z.enum(['request', 'response']).describe('The half of a call in which it is called.'),
  row: count.describe(
    'The index of the processor’s row in `processors`, from 0; on Kubernetes the `order` of the call point.',
  ),
  async: z.boolean().describe('True if the gateway calls it after the answer.'),
  required: z
    .boolean()
    .describe(
      'True in the request phase: a call without a reply of the processor fails. True in the response phase: its record gets an error entry.',
    ),
  calls: count
    .nullable()
    .describe(
      'The processor’s calls in both phases since the gateway’s start; null if there were none or the gateway does not report the number, as on Kubernetes.',
    ),
  failures: z
    .record(z.string(), count)
    .describe(
      'The number of calls without a usable answer, under the key `failed`. Empty if there were none, and on Kubernetes.',
    ),
  mean_ms: z
    .number()
    .nullable()
    .describe('The mean duration of the processor’s calls in milliseconds; null without calls, and on Kubernetes.'),
})
export type ProcessorState = z.infer<typeof processorStateSchema>

const problemSchema = z.object({
  severity: z
    .enum(['error', 'warning'])
    .describe('`error` if calls or records suffer, or the LLMGateway is not ready.'),
  message: z.string().describe('The problem, for people.'),
  todo: z.string().describe('The next step, or the cause as the program that found the problem reports it.'),
})

export const overviewSchema = z.object({
  edition: z
    .enum(['standalone', 'kubernetes'])
    .describe('`standalone`: files on a machine. `kubernetes`: custom resources of a cluster.'),
  kubernetes: z
    .object({
      namespace: z.string().describe('The namespace of the LLMGateway.'),
      gateway: z.string().describe('The name of the LLMGateway.'),
      mode: z.enum(['ReadOnly', 'Edit']).describe('`spec.webInterface.mode`. Only `Edit` writes resources.'),
      pods: z.array(gatewayPodSchema).describe('The pods of the gateway, by name.'),
    })
    .optional()
    .describe('The LLMGateway of this web interface. Absent without Kubernetes.'),
  version: z.string().describe('The version of the web interface.'),
  gateway_address: z
    .object({
      scheme: z.enum(['http', 'https']).describe('`https` if callers need TLS.'),
      port: count.describe('The port for callers.'),
    })
    .describe(
      'Scheme and port of the gateway’s address for callers. Its host is the host of the web interface; on Kubernetes it is the gateway’s Service.',
    ),
  gateway: gatewayStateSchema.describe(
    'The state of the gateway. On Kubernetes the state of one pod that answers, unless a field below says otherwise.',
  ),
  bus: z
    .object({
      connected: z.boolean().describe('True if the web interface has a connection to the bus.'),
      stream: z
        .object({
          first: count.describe('The number of the oldest record that the bus keeps.'),
          last: count.describe(
            'The number of the newest record that the bus keeps; one less than `first` if it keeps none.',
          ),
        })
        .nullable()
        .describe('The records that the bus keeps; null if it has no stream for them or does not answer.'),
    })
    .describe('The message bus.'),
  services: z
    .array(serviceStateSchema)
    .describe('The programs in the order of ginit_config.json; on Kubernetes the gateway’s Deployments.'),
  sinks: z.array(sinkStateSchema).describe('The programs that take records off the bus to a target.'),
  processors: z
    .array(processorStateSchema)
    .describe('The processors at their call points. A processor with two call points is listed twice.'),
  problems: z
    .array(problemSchema)
    .describe(
      'The problems that are known now: errors, then warnings. On Kubernetes the problems of resources follow; the list has at most 50. Empty if there are no problems.',
    ),
})
export type Overview = z.infer<typeof overviewSchema>

const series = z.array(z.number().nullable())
const milliseconds = z.object({
  p50: series.describe('The median in milliseconds, estimated within a bucket of the histogram; null without calls.'),
  p95: series.describe(
    'The 95th percentile in milliseconds, estimated within a bucket of the histogram; null without calls.',
  ),
})

/** The gateway's metrics of the last minutes. */
export const chartsSchema = z.object({
  step_ms: count.describe('Milliseconds of a step: 10,000.'),
  times: z
    .array(count)
    .describe('The end of each step in Unix milliseconds, oldest first. All lists below have as many entries.'),
  routers: z
    .array(
      z.object({
        router: z.string().describe('The path of the router, `*` for all together, `none` for calls without a router.'),
        requests_per_second: series.describe(
          'Finished calls per second; null where the gateway’s counts are not known.',
        ),
        errors_per_second: series.describe(
          'Calls per second that ended with an error type; null where the gateway’s counts are not known.',
        ),
        latency_ms: milliseconds.describe('From the head of the request to the end of the answer.'),
        overhead_ms: milliseconds.describe('The part of the latency outside the call to the LLM API.'),
        first_token_ms: milliseconds.describe('From the call to the LLM API to the first byte of a streamed answer.'),
        input_tokens_per_second: series.describe(
          'Tokens of requests per second, as answers report them; null where the gateway’s counts are not known.',
        ),
        output_tokens_per_second: series.describe(
          'Tokens of answers per second, as answers report them; null where the gateway’s counts are not known.',
        ),
      }),
    )
    .describe(
      'First `*`, then the 50 routers with the most calls since the gateway’s start, busiest first. `*` alone while the gateway does not answer.',
    ),
})
export type Charts = z.infer<typeof chartsSchema>
