import { z } from 'zod'
import { isCidr } from './cidr.ts'
import { defaultRequestRows, defaultResponseRows } from './default-rows.ts'
import { sessionHeaderName } from './header-name.ts'
import { limitsSchema } from './limits.ts'
import { boolean, headerName, logLevel, port, uniqueNames, version } from './primitives.ts'
import { phaseSchema } from './processor-entry.ts'
import { recordSchema, spoolSchema } from './record-settings.ts'
import { serviceBusSchema } from './service-bus.ts'
import { ingressTlsSchema, outboundTlsSchema } from './tls.ts'

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

/** gl_config.json without its routers. The default of a setting stands here and nowhere else. */
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
