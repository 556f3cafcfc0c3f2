import { isIP } from 'node:net'
import { z } from 'zod'
import { sessionHeaderName } from './header-name.ts'
import { limitsSchema } from './limits.ts'
import { boolean, headerName, logLevel, milliseconds, port, positive, uniqueNames, version } from './primitives.ts'
import { phaseSchema } from './processor-entry.ts'
import { serviceBusSchema } from './service-bus.ts'
import { ingressTlsSchema, outboundTlsSchema } from './tls.ts'

const GIB = 1024 * 1024 * 1024

/** `record` of gl_config.json: how records are kept (docs/reference/kept-records.md#durability). */
const recordSchema = z.object({
  stream: z.enum(['on', 'off']).default('on').describe('off: the bus keeps no records, prompts included'),
  durability: z
    .enum(['outage', 'journal'])
    .default('outage')
    .describe('journal: each record is on its way to disk before its caller has the whole answer'),
  wait_ms: milliseconds.default(2_000).describe('a call, or its record, waits this long for room for records'),
  when_full: z
    .enum(['drop', 'refuse'])
    .default('drop')
    .describe('refuse: a call that finds no room for its record is answered 503 RECORDS_FULL'),
})

/**
 * `spool` of gl_config.json: the place of records while the bus doesn't take them
 * (docs/reference/kept-records.md#queue-and-spool).
 */
const spoolSchema = z.object({
  directory: z.string().default('./app/spool').describe('one per gateway; empty: no spool'),
  max_bytes: positive.default(GIB),
})

/**
 * The rows of a gl_config.json without rows: the token counter caps requests and counts answers
 * (docs/reference/processors.md#token-counter).
 */
const tokenCounter = { name: 'token_counter', service_bus_topic: 'llm.gl.tokencounter' }

const defaultRequestRows = [
  [
    {
      ...tokenCounter,
      timeout: 1000,
      input_fields_include: ['gl_path', 'ingress_payload'],
      output_fields_write: ['control', 'control_status_code', 'control_headers'],
    },
  ],
]

const defaultResponseRows = [
  [
    {
      ...tokenCounter,
      timeout: 5000,
      async: true,
      input_fields_include: ['gl_path', 'original_gl_path', 'inbound_status_code', 'inbound_payload'],
      output_fields_write: ['token_count'],
    },
  ],
]

/** Returns true for an address, also with a prefix length, without a zone. */
function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%') || rest.length > 0) return false
  return prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32))
}

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

const fieldFilterSchema = z
  .object({ fields_include: z.array(z.string()).default([]), fields_exclude: z.array(z.string()).default([]) })
  .prefault({})

/** gl_config.json without its routers. A setting's default is defined only here. */
export const glSettingsSchema = z.object({
  version: version.default('1.0.1'),
  gateway_id: z
    .string()
    .regex(/^[A-Z0-9]{8}$/, 'gateway_id:')
    .default('GATEWAY1')
    .describe('8 of A-Z 0-9, the first part of every session and transaction id'),
  log_level: logLevel.default('INFO'),
  gl_port: port.default(5380).describe('0: a free one'),
  admin_host: z.string().min(1).default('127.0.0.1'),
  admin_port: port.default(9464).describe('/metrics /healthz /readyz /status; 0: off'),
  session_id_header: sessionHeaderName.default('Session-Id'),
  masked_headers: uniqueNames(headerName).default(maskedHeaders).describe('whose values no record shows'),
  masked_query_parameters: uniqueNames(z.string().min(1)).default(maskedParameters),
  remove_headers: z.array(headerName).default(['Content-Length']).describe('removed on the way out and back'),
  log_unauthorized: boolean.default(false).describe('publishes a record for a refused ingress check'),
  tls: z.object({ ingress: ingressTlsSchema.prefault({}), outbound: outboundTlsSchema.prefault({}) }).prefault({}),
  service_bus: serviceBusSchema.prefault({}),
  record: recordSchema.prefault({}),
  spool: spoolSchema.prefault({}),
  outbound_deny: z
    .array(z.string().refine(isCidr, 'cidr:'))
    .default([])
    .describe('addresses (CIDR) that no call may connect to'),
  limits: limitsSchema.prefault({}),
  request: phaseSchema(defaultRequestRows),
  response: phaseSchema(defaultResponseRows),
  logger: z.object({ request: fieldFilterSchema, response: fieldFilterSchema }).prefault({}),
})
export type GlSettings = z.infer<typeof glSettingsSchema>
