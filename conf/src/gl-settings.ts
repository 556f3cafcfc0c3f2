import { isIP } from 'node:net'
import { z } from 'zod'
import { sessionHeaderName } from './header-name.ts'
import { limitsSchema } from './limits.ts'
import { boolean, headerName, logLevel, milliseconds, port, positive, uniqueNames, version } from './primitives.ts'
import { phaseSchema } from './processor-entry.ts'
import { serviceBusSchema } from './service-bus.ts'
import { ingressTlsSchema, outboundTlsSchema } from './tls.ts'

const GIB = 1024 * 1024 * 1024
/** The most ranges of `outbound_deny`: the first call after a change builds their list, and each look-up walks it. */
const MAX_DENIED = 1_000

/** `record` of gl_config.json: how records are kept (docs/reference/kept-records.md#durability). */
const recordSchema = z.object({
  stream: z
    .enum(['on', 'off'])
    .default('on')
    .describe('`on`: the bus keeps records in a stream. `off`: neither the bus nor the spool keeps records.'),
  durability: z
    .enum(['outage', 'journal'])
    .default('outage')
    .describe(
      '`outage`: records wait in memory and on disk while the bus is away. `journal`: the gateway also writes each record to disk before the caller has the whole answer.',
    ),
  wait_ms: milliseconds
    .default(2_000)
    .describe('Longest time for which a call, or its record, waits for room in the record queue.'),
  when_full: z
    .enum(['drop', 'refuse'])
    .default('drop')
    .describe(
      '`drop`: a record that finds no room in the queue is dropped and counted. `refuse`: calls without room for their record get 503 RECORDS_FULL.',
    ),
})

/**
 * `spool` of gl_config.json: the place of records while the bus doesn't take them
 * (docs/reference/kept-records.md#queue-and-spool).
 */
const spoolSchema = z.object({
  directory: z
    .string()
    .default('./app/spool')
    .describe(
      'Folder for records that the bus does not take. Each gateway needs a folder of its own. Empty: no spool.',
    ),
  max_bytes: positive.default(GIB).describe('Largest size of the spool.'),
})

/**
 * The token counter, which the default rows call: it caps requests and counts the tokens of answers
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

/** Returns true for an IP address without a zone, alone or with a prefix length: `10.0.0.1`, `10.0.0.0/8`. */
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

function fieldFilterSchema(part: 'request' | 'response') {
  return z
    .object({
      fields_include: z
        .array(z.string())
        .default([])
        .describe(`First-level fields of \`${part}\` that the record keeps. Empty: all.`),
      fields_exclude: z
        .array(z.string())
        .default([])
        .describe(`First-level fields of \`${part}\` that the record leaves out.`),
    })
    .prefault({})
}

/** `service_bus` of gl_config.json; its descriptions say what an empty subject turns off in the gateway. */
const gatewayBusSchema = serviceBusSchema.extend({
  topic_exact_isalive: serviceBusSchema.shape.topic_exact_isalive.describe(
    'Subject on which the gateway answers that it is alive. Empty: the gateway does not answer.',
  ),
  topic_exact_logger: serviceBusSchema.shape.topic_exact_logger.describe(
    'Subject that records are published on. Empty: no records are made.',
  ),
})

/** gl_config.json without its routers. A setting's default is defined only here. */
export const glSettingsSchema = z.object({
  version: version.default('1.0.1').describe('Version of the file’s format. Programs do not interpret it.'),
  gateway_id: z
    .string()
    .regex(/^[A-Z0-9]{8}$/, 'gateway_id:')
    .default('GATEWAY1')
    .describe('First part of every session and transaction id: exactly 8 of A-Z and 0-9.'),
  log_level: logLevel.default('INFO').describe('Lowest level of log lines that are written.'),
  gl_port: port.default(5380).describe('Port for callers. 0: the system chooses a free port.'),
  admin_host: z.string().min(1).default('127.0.0.1').describe('Address that the admin port listens on.'),
  admin_port: port.default(9464).describe('Port of `/metrics`, `/healthz`, `/readyz` and `/status`. 0: no admin port.'),
  session_id_header: sessionHeaderName
    .default('Session-Id')
    .describe(
      'Header that carries the session id in both directions. Names of framing and hop-by-hop headers, `Host`, `Trailer`, `Content-*`, `Date` and `Set-Cookie` are refused.',
    ),
  masked_headers: uniqueNames(headerName)
    .default(maskedHeaders)
    .describe(
      'Headers whose values are masked in records, in messages to processors and in log lines. The list may not have the same name twice; case does not matter.',
    ),
  masked_query_parameters: uniqueNames(z.string().min(1))
    .default(maskedParameters)
    .describe('Query parameters whose values are masked in records, in messages to processors and in log lines.'),
  remove_headers: z
    .array(headerName)
    .default(['Content-Length'])
    .describe('Headers that the gateway removes from requests to the LLM API and from answers to callers.'),
  log_unauthorized: boolean
    .default(false)
    .describe('`true`: a call that fails the check of its headers leaves a record.'),
  tls: z.object({ ingress: ingressTlsSchema.prefault({}), outbound: outboundTlsSchema.prefault({}) }).prefault({}),
  service_bus: gatewayBusSchema.prefault({}),
  record: recordSchema.prefault({}),
  spool: spoolSchema.prefault({}),
  outbound_deny: z
    .array(z.string().refine(isCidr, 'cidr:'))
    .max(MAX_DENIED)
    .default([])
    .describe(
      'At most 1,000 ranges of addresses (CIDR) to which no call may connect. The gateway checks the addresses to which the name of an LLM API resolves.',
    ),
  limits: limitsSchema.prefault({}),
  request: phaseSchema(
    defaultRequestRows,
    'Rows of the request phase. A row is a list of entries that are called side by side; rows run one after another.',
  ),
  response: phaseSchema(defaultResponseRows, 'Rows of the response phase, in the form of `request.processors`.'),
  logger: z.object({ request: fieldFilterSchema('request'), response: fieldFilterSchema('response') }).prefault({}),
})
export type GlSettings = z.infer<typeof glSettingsSchema>
