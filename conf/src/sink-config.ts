import { z } from 'zod'
import { isObject } from './json-object.ts'
import { boolean, integer, logLevel, port, version } from './primitives.ts'
import { serviceBusSchema } from './service-bus.ts'
import { outboundTlsSchema } from './tls.ts'

const text = z.string().default('')
const optionalPort = z.preprocess((value) => (value === '' ? undefined : value), port.optional()).optional()

const fileWriterSchema = z.object({
  filename: z
    .string()
    .min(1)
    .default('./app/log/llm-gateway.jsonl')
    .describe('The file. Each record is one line of JSON.'),
  write_mode: z
    .enum(['append', 'overwrite', 'new'])
    .default('append')
    .describe(
      '`append`: the sink writes at the end of the file. `overwrite`: at the start of the sink the old file gets a name with the time, and a new file begins. `new`: each start of the sink has a file of its own.',
    ),
  rotate: z
    .object({
      bytes: integer(0)
        .default(0)
        .describe('Size at which a file is set aside: it gets a name with the time, and a new file begins. 0: never.'),
      seconds: integer(0)
        .default(0)
        .describe('Age at which a file is set aside, when the next record comes. 0: never.'),
      gzip: boolean.default(false).describe('`true`: files that were set aside are compressed.'),
      keep_files: integer(0).default(0).describe('Most files that are kept after they were set aside. 0: all.'),
      keep_days: integer(0).default(0).describe('Days for which a file is kept after it was set aside. 0: for ever.'),
    })
    .prefault({}),
  fsync: boolean.default(false).describe('`true`: a batch counts as delivered once fsync has written it to the disk.'),
})

function fieldsSchema(part: 'request' | 'response') {
  return z.object({
    fields_include: z
      .array(z.string())
      .default([])
      .describe(`First-level fields of \`${part}\` that are written. Empty: all.`),
    fields_exclude: z.array(z.string()).default([]).describe(`First-level fields of \`${part}\` that are left out.`),
  })
}

const batchSchema = z.object({
  records: integer(1, 5_000).default(500).describe('Most records of one batch.'),
  bytes: integer(1, 32 * 1024 * 1024)
    .default(8 * 1024 * 1024)
    .describe('Most bytes of one batch. A single record may be larger.'),
  ms: integer(0, 60_000).default(100).describe('Longest time in milliseconds for which a record waits for others.'),
})

const startSchema = z
  .string()
  .regex(/^(?:beginning|now|[1-9]\d{0,6}[smhd])$/, 'start:')
  .default('beginning')

const restWriterSchema = z.object({
  url: text.describe('Address of the receiver.'),
  port: optionalPort.describe('Port of the receiver. Absent or 0: the port of `url`.'),
  endpoint: text.describe('Path of the receiver; it follows the path of `url`.'),
  headers: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .default({})
    .describe('Headers of each request.'),
  batch_format: z
    .enum(['none', 'ndjson', 'array'])
    .default('none')
    .describe(
      '`none`: one POST for each record. `ndjson`: one POST for a batch, one record a line. `array`: one POST for a batch, as a JSON array.',
    ),
})

const elasticWriterSchema = z.object({
  url: text.describe('Address of Elasticsearch.'),
  port: optionalPort.describe('Port of Elasticsearch. Absent or 0: the port of `url`.'),
  index: text.describe('Name of the index, alias or data stream, without capitals.'),
  username: text.describe('User for Basic authentication.'),
  password: text.describe('Password of that user.'),
  api_key: text.describe('API key in base64, as Elasticsearch shows it. It has precedence over user and password.'),
  document_ids: boolean
    .default(true)
    .describe(
      '`true`: the message id of a record becomes the id of its document, so that a record that is sent twice makes one document.',
    ),
  bulk: boolean
    .default(true)
    .describe(
      '`true`: a batch leaves in one request to `/<index>/_bulk`. `false`: each record goes to `/<index>/_doc`.',
    ),
})

const postgresWriterSchema = z.object({
  host: text.describe('Host of PostgreSQL.'),
  port: port.default(5432).describe('Port of PostgreSQL.'),
  database: text.describe('Name of the database.'),
  user: text.describe('Name of the user.'),
  password: text.describe('Password of the user.'),
  table: z
    .string()
    .default('llm_gateway_records')
    .describe('`table` or `schema.table`. The sink creates a missing table if the user has the right to.'),
  tls: boolean.default(true).describe('`false`: the connection is not encrypted.'),
})

const otlpWriterSchema = z.object({
  url: text.describe('Address of the receiver, without `/v1/logs`.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Headers of each request.'),
  service_name: z.string().default('llm-gateway').describe('The resource attribute `service.name`.'),
})

const s3WriterSchema = z.object({
  url: text.describe('Address of the server, such as `https://s3.eu-central-1.amazonaws.com`.'),
  bucket: text.describe('Name of the bucket.'),
  prefix: z.string().default('records/').describe('First part of an object’s name; the hour follows.'),
  region: z.string().default('us-east-1').describe('Region for which requests are signed.'),
  access_key_id: text.describe('Id of the key.'),
  secret_access_key: text.describe('The key.'),
  session_token: text.describe('Token of a temporary key.'),
})

const azureIngestionSchema = z.object({
  url: text.describe('Address of the data collection endpoint.'),
  rule_id: text.describe('Immutable id of the data collection rule: `dcr-…`.'),
  stream: text.describe('Stream of the rule: `Custom-<table>_CL`.'),
  identity: z
    .enum(['application', 'managed'])
    .default('application')
    .describe(
      '`managed`: use the identity that Azure gave the machine or container. This identity needs no tenant and no secret.',
    ),
  tenant_id: text.describe('Tenant of the application that may write.'),
  client_id: text.describe('Id of that application.'),
  client_secret: text.describe('Secret of that application.'),
  authority: z
    .string()
    .default('https://login.microsoftonline.com')
    .describe('Address of the authority that gives tokens. Other clouds have another address.'),
  identity_url: z
    .string()
    .default('http://169.254.169.254')
    .describe('Address that gives tokens to a managed identity.'),
})

/** The TLS settings of a sink; values of the flat form, such as `tls.insecure`, are also copied into `outbound`. */
const tlsSchema = z.preprocess(
  (value) => (isObject(value) && !Object.hasOwn(value, 'outbound') ? { outbound: value, ...value } : value),
  z.object({
    outbound: outboundTlsSchema.prefault({}),
    insecure: boolean.optional().describe('Older name of `tls.outbound.insecure`.'),
    system_cert_pool: boolean.optional().describe('Older name of `tls.outbound.system_cert_pool`.'),
    cert_files: z.array(z.string().min(1)).optional().describe('Older name of `tls.outbound.cert_files`.'),
  }),
)

const settingsSchema = z.object({
  version: version.default('1.0.1').describe('Version of the file’s format. Programs do not interpret it.'),
  log_level: logLevel.default('INFO').describe('Lowest level of log lines that are written.'),
  mode: z
    .enum([
      'file_writer',
      'rest_api_writer',
      'elastic_writer',
      'azure_log_analytics_writer',
      'azure_logs_ingestion_writer',
      'postgres_writer',
      'otlp_writer',
      's3_writer',
    ])
    .optional()
    .describe('Kind of the target. A sink without `mode`, or without an address in the section of its mode, idles.'),
  admin_host: z.string().default('127.0.0.1').describe('Address that the admin port listens on.'),
  admin_port: port.default(0).describe('Port of `/metrics`, `/healthz` and `/readyz`. 0: no admin port.'),
  retries: integer(0, 1000)
    .optional()
    .describe('Not used; the sink logs a WARN. A sink tries a record until the target has it.'),
  retry_delay_milliseconds: integer(0, 600_000).optional().describe('Not used; the sink logs a WARN.'),
  start: startSchema.describe(
    'Place in the stream at which a new sink begins: `beginning`, `now`, or an age such as `30m`, `1h`, `2d`.',
  ),
  batch: batchSchema.prefault({}),
  payloads: z
    .enum(['on', 'off'])
    .default('on')
    .describe('`off`: the sink leaves the four payloads out of each record.'),
  filter: z
    .object({ request: fieldsSchema('request').prefault({}), response: fieldsSchema('response').prefault({}) })
    .prefault({})
    .describe('first-level fields that are written, in the form of logger in gl_config.json'),
  tls: tlsSchema.prefault({}),
  service_bus: serviceBusSchema.prefault({}),
  file_writer: fileWriterSchema.optional(),
  rest_api_writer: restWriterSchema.optional(),
  elastic_writer: elasticWriterSchema.optional(),
  azure_log_analytics_writer: z
    .looseObject({})
    .optional()
    .describe('Settings of the HTTP Data Collector API, which Azure has ended. The sink idles and logs a WARN.'),
  azure_logs_ingestion_writer: azureIngestionSchema.optional(),
  postgres_writer: postgresWriterSchema.optional(),
  otlp_writer: otlpWriterSchema.optional(),
  s3_writer: s3WriterSchema.optional(),
})

/**
 * nats2log_config.json and nats2file_config.json. A sink idles without a mode, without the section of its mode, or
 * without an address in that section. Files often contain all sections with empty values, so that only the mode's
 * section is checked.
 */
export const sinkConfigSchema = settingsSchema.superRefine((config, context) => {
  for (const [path, reason] of faultsOf(config)) context.addIssue({ code: 'custom', path: [...path], message: reason })
})

export type SinkConfig = z.infer<typeof settingsSchema>

/** Returns true where the section of the mode has an address. */
export function hasTarget(config: SinkConfig): boolean {
  const section = config.mode && config[config.mode]
  if (section === undefined) return false
  const address = 'url' in section ? section.url : 'host' in section ? section.host : undefined
  return address !== ''
}

function* faultsOf(config: SinkConfig): Generator<Fault> {
  if (!hasTarget(config)) return
  const { mode, rest_api_writer: rest, elastic_writer: elastic, otlp_writer: otlp } = config
  const { azure_logs_ingestion_writer: azure, postgres_writer: postgres, s3_writer: s3 } = config
  if (mode === 'rest_api_writer' && rest !== undefined) yield* urlFaults(mode, rest.url)
  if (mode === 'otlp_writer' && otlp !== undefined) yield* urlFaults(mode, otlp.url)
  if (mode === 'elastic_writer' && elastic !== undefined) {
    yield* urlFaults(mode, elastic.url)
    yield* formFaults(mode, elastic, [['index', INDEX]])
    if (!/^[\x21-\x7e]*$/.test(elastic.api_key)) yield [[mode, 'api_key'], 'ascii:']
  }
  if (mode === 'azure_logs_ingestion_writer' && azure !== undefined) {
    yield* urlFaults(mode, azure.url)
    yield* formFaults(mode, azure, azure.identity === 'managed' ? AZURE : AZURE_APPLICATION)
    if (azure.client_id !== '' && !NAME.test(azure.client_id)) yield [[mode, 'client_id'], 'client_id:']
  }
  if (mode === 'postgres_writer' && postgres !== undefined) yield* formFaults(mode, postgres, POSTGRES)
  if (mode === 's3_writer' && s3 !== undefined) {
    yield* urlFaults(mode, s3.url)
    yield* formFaults(mode, s3, S3)
    if (!/^[\w!.*'()/-]*$/.test(s3.prefix)) yield [[mode, 'prefix'], 'prefix:']
  }
}

type Fault = readonly [path: readonly string[], reason: string]

/** The names that Elasticsearch accepts for an index or alias: no capitals, at most 255 characters. */
const INDEX = /^(?!\.{1,2}$)[^\p{Lu}\s\\/*?"<>|,#:_+-][^\p{Lu}\s\\/*?"<>|,#:]{0,254}$/u
const ANY = /^[^\r\n]+$/
const NAME = /^[\w.-]{1,200}$/
const AZURE = [
  ['rule_id', NAME],
  ['stream', NAME],
] as const
const AZURE_APPLICATION = [...AZURE, ['tenant_id', NAME], ['client_id', ANY], ['client_secret', ANY]] as const
const POSTGRES = [
  ['host', ANY],
  ['database', ANY],
  ['user', ANY],
  ['table', /^[a-z_][a-z0-9_]{0,62}(?:\.[a-z_][a-z0-9_]{0,62})?$/],
] as const
const S3 = [
  ['bucket', /^[a-z0-9][a-z0-9.-]{1,62}$/],
  ['region', /^[a-z0-9-]{1,40}$/],
  ['access_key_id', /^[\x21-\x7e]+$/],
  ['secret_access_key', ANY],
] as const

function* urlFaults(section: string, url: string): Generator<Fault> {
  if (!/^https?:\/\/[^/\s#]/i.test(url) || /[\s#]/.test(url)) yield [[section, 'url'], 'http_url:']
}

/** Yields the faults of required fields with a format; the reason is the field's name, never its value. */
function* formFaults<Section extends object>(
  section: string,
  fields: Section,
  forms: readonly (readonly [keyof Section & string, RegExp])[],
): Generator<Fault> {
  for (const [name, form] of forms) {
    const value = String(fields[name])
    if (value === '') yield [[section, name], 'required:']
    else if (!form.test(value)) yield [[section, name], `${name}:`]
  }
}
