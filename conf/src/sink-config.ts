import { z } from 'zod'
import { isObject } from './json-object.ts'
import { boolean, integer, logLevel, port, version } from './primitives.ts'
import { serviceBusSchema } from './service-bus.ts'
import { outboundTlsSchema } from './tls.ts'

const text = z.string().default('')
const optionalPort = z.preprocess((value) => (value === '' ? undefined : value), port.optional()).optional()

const fileWriterSchema = z.object({
  filename: z.string().min(1).default('./app/log/llm-gateway.jsonl').describe('one JSON record a line'),
  write_mode: z
    .enum(['append', 'overwrite', 'new'])
    .default('append')
    .describe('overwrite: at the start the file gets a name with the time, and a new one is begun'),
  fsync: boolean.default(false).describe('true: a batch counts as delivered once the disk has it'),
})

const batchSchema = z.object({
  records: integer(1, 5_000).default(500),
  bytes: integer(1, 32 * 1024 * 1024)
    .default(8 * 1024 * 1024)
    .describe('a single record may be larger'),
  ms: integer(0, 60_000).default(100).describe('how long a record waits for others'),
})

const startSchema = z
  .string()
  .regex(/^(?:beginning|now|[1-9]\d{0,6}[smhd])$/, 'start:')
  .default('beginning')
  .describe('where a sink begins that is new: beginning, now, or a time ago such as 30m, 1h, 2d')

const restWriterSchema = z.object({
  url: text,
  port: optionalPort,
  endpoint: text,
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
})

const elasticWriterSchema = z.object({
  url: text,
  port: optionalPort,
  index: text,
  username: text,
  password: text,
  api_key: text.describe('base64, as Elasticsearch shows it; goes before username and password'),
  document_ids: boolean
    .default(false)
    .describe("true: to /<index>/_doc/<the record's Nats-Msg-Id>, so that a repeated try doubles nothing"),
  bulk: boolean.default(false).describe('true: records that wait together leave in one request, to /<index>/_bulk'),
})

const azureWriterSchema = z.object({
  workspace_id: text,
  shared_key: text.describe('base64, as the portal shows it'),
  log_type: text.describe('letters, digits and _, at most 100; the table is <log_type>_CL'),
  time_generated_field: text.describe(
    'adds a field of this name with the time the call came in, from which TimeGenerated is taken',
  ),
  url: text.describe('of another cloud; "": https://<workspace_id>.ods.opinsights.azure.com'),
})

/** The flat form, `tls.insecure`, is accepted too (wire, 1.2): what it says is in `outbound` as well. */
const tlsSchema = z.preprocess(
  (value) => (isObject(value) && !Object.hasOwn(value, 'outbound') ? { outbound: value, ...value } : value),
  z.object({
    outbound: outboundTlsSchema.prefault({}),
    insecure: boolean.optional(),
    system_cert_pool: boolean.optional(),
    cert_files: z.array(z.string().min(1)).optional(),
  }),
)

/**
 * nats2log_config.json and nats2file_config.json (wire, 1.2). A sink without a mode, or without the section that its mode
 * names, idles. Files often carry all sections with empty values: only the one that is used is judged.
 */
export const sinkConfigSchema = z
  .object({
    version: version.default('1.0.1'),
    log_level: logLevel.default('INFO'),
    mode: z.enum(['file_writer', 'rest_api_writer', 'elastic_writer', 'azure_log_analytics_writer']).optional(),
    admin_host: z.string().default('127.0.0.1'),
    admin_port: port.default(0).describe('/metrics, /healthz, /readyz; 0: off'),
    retries: integer(0, 1000).optional().describe('of older files; a record is tried until the target has it'),
    retry_delay_milliseconds: integer(0, 600_000).optional().describe('of older files'),
    start: startSchema,
    batch: batchSchema.prefault({}),
    tls: tlsSchema.prefault({}),
    service_bus: serviceBusSchema.prefault({}),
    file_writer: fileWriterSchema.optional(),
    rest_api_writer: restWriterSchema.optional(),
    elastic_writer: elasticWriterSchema.optional(),
    azure_log_analytics_writer: azureWriterSchema.optional(),
  })
  .superRefine((config, context) => {
    for (const [path, reason] of faultsOf(config))
      context.addIssue({ code: 'custom', path: [...path], message: reason })
  })

export type SinkConfig = z.infer<typeof sinkConfigSchema>

type Sections = {
  readonly mode?: string | undefined
  readonly rest_api_writer?: z.infer<typeof restWriterSchema> | undefined
  readonly elastic_writer?: z.infer<typeof elasticWriterSchema> | undefined
  readonly azure_log_analytics_writer?: z.infer<typeof azureWriterSchema> | undefined
}

function* faultsOf(config: Sections): Generator<Fault> {
  const { mode, rest_api_writer: rest, elastic_writer: elastic, azure_log_analytics_writer: azure } = config
  if (mode === 'rest_api_writer' && rest !== undefined) yield* urlFaults(mode, rest.url)
  if (mode === 'elastic_writer' && elastic !== undefined) {
    yield* urlFaults(mode, elastic.url)
    yield* formFaults(mode, elastic, [['index', INDEX]])
    if (!/^[\x21-\x7e]*$/.test(elastic.api_key)) yield [[mode, 'api_key'], 'ascii:']
  }
  if (mode === 'azure_log_analytics_writer' && azure !== undefined) {
    yield* formFaults(mode, azure, [
      ['workspace_id', /^[0-9A-Za-z-]{1,63}$/],
      ['shared_key', BASE64],
      ['log_type', /^\w{1,100}$/],
    ])
    if (!/^\w{0,100}$/.test(azure.time_generated_field)) yield [[mode, 'time_generated_field'], 'time_generated_field:']
    if (azure.url !== '') yield* urlFaults(mode, azure.url)
  }
}

type Fault = readonly [path: readonly string[], reason: string]

/** What Elasticsearch accepts as the name of an index or alias: no capitals, at most 255 characters. */
const INDEX = /^(?!\.{1,2}$)[^\p{Lu}\s\\/*?"<>|,#:_+-][^\p{Lu}\s\\/*?"<>|,#:]{0,254}$/u
const BASE64 = /^(?:[0-9A-Za-z+/]{4})*(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$/

function* urlFaults(section: string, url: string): Generator<Fault> {
  if (url === '') yield [[section, 'url'], 'required:']
  else if (!/^https?:\/\/[^/\s#]/i.test(url) || /[\s#]/.test(url)) yield [[section, 'url'], 'http_url:']
}

/** Fields that must be there in a form of their own; the reason is the field's name, never its value. */
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
