import { z } from 'zod'
import { integer, logLevel, port, version } from './primitives.ts'
import { serviceBusSchema } from './service-bus.ts'
import { outboundTlsSchema } from './tls.ts'

const url = z.string().regex(/^https?:\/\/[^\s#]+$/i, 'http_url:')

/** nats2log_config.json and nats2file_config.json (wire, 1.2). A sink without a mode idles. */
export const sinkConfigSchema = z
  .object({
    version: version.default('1.0.1'),
    log_level: logLevel.default('INFO'),
    mode: z.enum(['file_writer', 'rest_api_writer', 'elastic_writer', 'azure_log_analytics_writer']).optional(),
    retries: integer(0, 1000).default(3),
    retry_delay_milliseconds: integer(0, 600_000).default(250),
    tls: z
      .union([z.object({ outbound: outboundTlsSchema }), outboundTlsSchema.transform((outbound) => ({ outbound }))])
      .prefault({}),
    service_bus: serviceBusSchema.prefault({}),
    file_writer: z
      .object({
        filename: z.string().min(1).default('./app/log/llm-gateway.jsonl'),
        write_mode: z.enum(['append', 'overwrite', 'new']).default('append'),
      })
      .optional(),
    rest_api_writer: z
      .object({
        url,
        port: port.optional(),
        endpoint: z.string().default(''),
        headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
      })
      .optional(),
    elastic_writer: z
      .object({
        url,
        port: port.optional(),
        index: z.string().min(1),
        username: z.string().default(''),
        password: z.string().default(''),
      })
      .optional(),
    azure_log_analytics_writer: z
      .object({ workspace_id: z.string().min(1), shared_key: z.string().min(1), log_type: z.string().min(1) })
      .optional(),
  })
  .refine((config) => config.mode === undefined || config.mode === 'file_writer' || config[config.mode] !== undefined, {
    message: 'required: the section named by mode',
    path: ['mode'],
  })

export type SinkConfig = z.infer<typeof sinkConfigSchema>
