import { z } from 'zod'
import { isCidr } from './cidr.ts'
import { boolean, headerName, integer, logLevel, port, positive, version } from './primitives.ts'
import { rowsSchema } from './processor-entry.ts'
import { serviceBusSchema } from './service-bus.ts'
import { tlsSchema } from './tls.ts'

const mib = 1024 * 1024

export const limitsSchema = z.object({
  request_bytes: positive.default(32 * mib),
  response_bytes: positive.default(64 * mib),
  buffered_bytes: positive.default(256 * mib),
  header_bytes: positive.default(64 * 1024),
  request_headers_timeout_ms: positive.default(20_000),
  request_idle_timeout_ms: positive.default(60_000),
  keep_alive_timeout_ms: positive.default(75_000),
  outbound_connect_timeout_ms: positive.default(10_000),
  outbound_headers_timeout_ms: positive.default(600_000),
  outbound_timeout_ms: positive.default(600_000),
  drain_delay_ms: integer(0).default(0),
  drain_ms: positive.default(610_000),
  record_queue_bytes: positive.default(32 * mib),
})

const maskedHeaders = [
  'Api-Key',
  'Authorization',
  'X-Api-Key',
  'X-Goog-Api-Key',
  'X-Amz-Security-Token',
  'Proxy-Authorization',
  'Cookie',
  'Set-Cookie',
]
const maskedParameters = ['key', 'api-key', 'api_key', 'apikey', 'subscription-key', 'token', 'access_token', 'sig']

const uniqueNames = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase())).size === names.length

const fieldFilterSchema = z.object({
  fields_include: z.array(z.string()).default([]),
  fields_exclude: z.array(z.string()).default([]),
})

const tokenCounterRequest = [
  [
    {
      name: 'token_counter',
      service_bus_topic: 'llm.gl.tokencounter',
      timeout: 1000,
      input_fields_include: ['gl_path', 'ingress_payload'],
      output_fields_write: ['control', 'control_status_code', 'control_headers'],
    },
  ],
]
const tokenCounterResponse = [
  [
    {
      name: 'token_counter',
      service_bus_topic: 'llm.gl.tokencounter',
      timeout: 5000,
      async: true,
      input_fields_include: ['gl_path', 'original_gl_path', 'inbound_status_code', 'inbound_payload'],
      output_fields_write: ['token_count'],
    },
  ],
]

/** gl_config.json without its routers (wire, 1.1). */
export const glSettingsSchema = z.object({
  version: version.default('1.0.1'),
  gateway_id: z
    .string()
    .regex(/^[A-Z0-9]{8}$/)
    .default('GATEWAY1'),
  log_level: logLevel.default('INFO'),
  gl_port: port.default(5380),
  admin_host: z.string().min(1).default('127.0.0.1'),
  admin_port: port.default(9464),
  session_id_header: headerName.default('Session-Id'),
  masked_headers: z.array(headerName).refine(uniqueNames, 'unique').default(maskedHeaders),
  masked_query_parameters: z.array(z.string().min(1)).default(maskedParameters),
  remove_headers: z.array(headerName).default(['Content-Length']),
  log_unauthorized: boolean.default(false),
  tls: tlsSchema.prefault({}),
  service_bus: serviceBusSchema.prefault({}),
  outbound_deny: z.array(z.string().refine(isCidr, 'cidr')).default([]),
  limits: limitsSchema.prefault({}),
  request: rowsSchema.prefault({ processors: tokenCounterRequest }),
  response: rowsSchema.prefault({ processors: tokenCounterResponse }),
  logger: z.object({ request: fieldFilterSchema.prefault({}), response: fieldFilterSchema.prefault({}) }).prefault({}),
})

export type GlSettings = z.infer<typeof glSettingsSchema>
export type Limits = z.infer<typeof limitsSchema>
