import { z } from 'zod'
import { envEntrySchema, RESERVED_NAMES } from './env-entry.ts'
import { headersSchema } from './headers.ts'
import { resourcesSchema } from './pod-settings.ts'
import {
  cel,
  fieldName,
  HEADER_NAMES,
  headerName,
  mapList,
  quantity,
  referenceOnly,
  setList,
  subdomain,
  text,
} from './primitives.ts'

/*
 * Each sink is a program of its own. Its fields are the settings of docs/reference/nats2file-config.md in camel case.
 * Keys don't stand in the resource: their fields refer to the sink's env by `${NAME}`.
 */

const fields = setList(fieldName, 64).optional()
const filterSchema = z.object({
  fieldsInclude: fields.describe('First-level fields that are written; left out: all.'),
  fieldsExclude: fields.describe('First-level fields that are left out.'),
})

const ofEverySink = {
  start: z
    .string()
    .max(8)
    .regex(/^(beginning|now|[1-9][0-9]{0,5}[smhd])$/)
    .optional()
    .describe(
      'Place in the stream at which a new sink begins: beginning, now, or an age such as 30m, 1h, 2d; left out: beginning.',
    ),
  batch: z
    .object({
      records: z.int().min(1).max(5000).optional().describe('Most records in one delivery; left out: 500.'),
      bytes: z.int().min(1).max(33_554_432).optional().describe('Most bytes in one delivery; left out: 8388608.'),
      milliseconds: z
        .int()
        .min(0)
        .max(60_000)
        .optional()
        .describe('Milliseconds for which a record waits for others; left out: 100.'),
    })
    .optional()
    .describe('Size of one delivery to the target.'),
  payloads: z
    .boolean()
    .optional()
    .describe('false: the sink leaves the four payloads out of each record; left out: true.'),
  request: filterSchema.optional().describe('Fields of the request side.'),
  response: filterSchema.optional().describe('Fields of the response side.'),
  retries: z.int().min(0).max(1000).optional().describe('Not used: the sink tries a record until the target has it.'),
  retryDelayMilliseconds: z.int().min(0).max(600_000).optional().describe('Not used.'),
  env: mapList(envEntrySchema, 'name', 32)
    .meta(cel(RESERVED_NAMES))
    .optional()
    .describe('Environment of the sink; settings may refer to these variables by ${NAME}.'),
  resources: resourcesSchema.optional(),
}

/** Visible ASCII without user-info, so that no key stands in a URL. */
const url = z
  .string()
  .max(2048)
  .regex(/^(https?:\/\/[!"$-.0-?A-~]+(\/[!"$-~]*)?|\$\{[A-Za-z_][A-Za-z0-9_]*\}[!"$-?A-~]*)$/)
const ONE_LINE = /^[^$\r\n]+$/
const port = z.int().min(1).max(65535)

/**
 * Makes a rule that a field names a variable of env. Without the rule a missing variable would show only in the sink.
 */
function namesEnv(field: string) {
  return {
    rule: `!has(self.${field}) || (has(self.env) && self.env.exists(e, '\${' + e.name + '}' == self.${field}))`,
    message: 'names no variable of env',
    fieldPath: `.${field}`,
  }
}

const fileSinkSchema = z.object({
  filename: z
    .string()
    .max(128)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
    .default('llm-gateway.jsonl')
    .describe('Name of the file, one JSON record a line.'),
  writeMode: z
    .enum(['append', 'overwrite', 'new'])
    .default('append')
    .describe(
      'append: the sink continues an existing file; overwrite: it gives the existing file a name with the time; new: each start has a file of its own.',
    ),
  rotate: z
    .object({
      size: quantity.optional().describe('Size at which a file is set aside and a new file begins; left out: never.'),
      seconds: z
        .int()
        .min(0)
        .max(2147483647)
        .optional()
        .describe('Age in seconds at which a file is set aside; left out or 0: never.'),
      gzip: z.boolean().optional().describe('true: files that were set aside are compressed; left out: false.'),
      keepFiles: z
        .int()
        .min(0)
        .max(1_000_000)
        .optional()
        .describe('Number of files that are kept after they were set aside; left out or 0: all.'),
      keepDays: z
        .int()
        .min(0)
        .max(100_000)
        .optional()
        .describe('Days for which a file is kept after it was set aside; left out or 0: for ever.'),
    })
    .optional()
    .describe('Rotation of the file, and the number and age of files that are kept.'),
  fsync: z
    .boolean()
    .optional()
    .describe('true: records count as delivered once fsync has written them to the disk; left out: false.'),
  storage: z
    .object({
      emptyDir: quantity.optional().describe('Size of a volume that is deleted with the pod.'),
      persistentVolumeClaim: subdomain.optional().describe('Name of a claim in the same namespace.'),
    })
    .meta(
      cel({
        rule: 'has(self.emptyDir) != has(self.persistentVolumeClaim)',
        message: 'must have exactly one of emptyDir and persistentVolumeClaim',
      }),
    )
    .default({ emptyDir: '1Gi' })
    .describe('Volume of the file.'),
  ...ofEverySink,
})

const elasticSinkSchema = z
  .object({
    url: url.describe('http(s) address of Elasticsearch.'),
    port: port.optional().describe('Port of Elasticsearch; left out: the port of url.'),
    index: z
      .string()
      .max(255)
      .regex(/^[a-z0-9.][a-z0-9._-]*$/)
      .describe('Index to which records are written.'),
    username: text(256).optional().describe('Name of a user.'),
    password: referenceOnly.optional().describe('Password of the user, ${NAME} of env.'),
    apiKey: referenceOnly.optional().describe('API key in place of user and password, ${NAME} of env.'),
    documentIds: z.boolean().optional().describe('true: a record that is sent twice is stored once; left out: true.'),
    bulk: z.boolean().optional().describe('true: a batch is sent in one request; left out: true.'),
    ...ofEverySink,
  })
  .meta(
    cel(
      { rule: 'has(self.username) == has(self.password)', message: 'username and password must go together' },
      namesEnv('password'),
      namesEnv('apiKey'),
    ),
  )

const restSinkSchema = z.object({
  url: url.describe('http(s) address to which records are posted.'),
  port: port.optional().describe('Port of the API; left out: the port of url.'),
  endpoint: text(2048).optional().describe('Path that is appended to url.'),
  headers: headersSchema.optional().describe('Headers of each request; may hold ${NAME} of env.'),
  batchFormat: z
    .enum(['None', 'Ndjson', 'Array'])
    .optional()
    .describe(
      'None: one request for each record; Ndjson: one request for a batch, a record a line; Array: one request for a batch, a JSON array; left out: None.',
    ),
  ...ofEverySink,
})

const otlpSinkSchema = z.object({
  url: url.describe('http(s) address of the receiver, without /v1/logs.'),
  headers: z
    .record(headerName, text(4096))
    .meta({ maxProperties: 32, ...cel(HEADER_NAMES) })
    .optional()
    .describe('Headers of each request; may hold ${NAME} of env.'),
  serviceName: text(256).optional().describe('service.name of the records; left out: llm-gateway.'),
  ...ofEverySink,
})

const s3SinkSchema = z
  .object({
    url: url.describe('http(s) address of the server, without the bucket, which the sink adds to the path.'),
    bucket: z
      .string()
      .max(63)
      .regex(/^[a-z0-9][a-z0-9.-]{1,62}$/)
      .describe('Name of the bucket.'),
    prefix: z
      .string()
      .max(512)
      .regex(/^[A-Za-z0-9_!.*'()/-]*$/)
      .optional()
      .describe("Beginning of each object's name, before the hour; left out: records/."),
    region: z
      .string()
      .max(40)
      .regex(/^[a-z0-9-]{1,40}$/)
      .optional()
      .describe('Region of the bucket; left out: us-east-1.'),
    accessKeyId: referenceOnly.describe('Id of the key, ${NAME} of env.'),
    secretAccessKey: referenceOnly.describe('The key, ${NAME} of env.'),
    sessionToken: referenceOnly.optional().describe('Session token of a temporary key, ${NAME} of env.'),
    ...ofEverySink,
  })
  .meta(cel(namesEnv('accessKeyId'), namesEnv('secretAccessKey'), namesEnv('sessionToken')))

const postgresSinkSchema = z
  .object({
    host: subdomain.describe('Host of the server.'),
    port: port.optional().describe('Port of the server; left out: 5432.'),
    database: z.string().min(1).max(63).regex(ONE_LINE).describe('Name of the database.'),
    user: z.string().min(1).max(63).regex(ONE_LINE).describe('Name of a user.'),
    password: referenceOnly.optional().describe('Password of the user, ${NAME} of env.'),
    table: z
      .string()
      .max(127)
      .regex(/^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$/)
      .optional()
      .describe(
        'table or schema.table; the sink creates a missing table if the user has the right to; left out: llm_gateway_records.',
      ),
    tls: z.boolean().optional().describe('false: no TLS, so others in the network can read records; left out: true.'),
    ...ofEverySink,
  })
  .meta(cel(namesEnv('password')))

const azureSinkSchema = z
  .object({
    workspaceId: z
      .string()
      .max(63)
      .regex(/^[0-9A-Za-z-]+$/)
      .describe('Id of the Log Analytics workspace.'),
    sharedKey: referenceOnly.describe('Key of the workspace, base64, ${NAME} of env.'),
    logType: z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9_]+$/)
      .describe('Type of the log; Azure calls the table <logType>_CL.'),
    timeGeneratedField: z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9_]+$/)
      .optional()
      .describe('Name of a field that is added, with the time at which the call came in.'),
    url: url.optional().describe('Address of the API in another cloud; left out: the address of the public cloud.'),
    ...ofEverySink,
  })
  .meta(cel(namesEnv('sharedKey')))

const azureLogsSinkSchema = z
  .object({
    url: url.describe('Address of the data collection endpoint; may hold ${NAME} of env.'),
    ruleId: z
      .string()
      .max(100)
      .regex(/^dcr-[0-9A-Za-z]+$/)
      .describe('Immutable id of the data collection rule.'),
    stream: z
      .string()
      .max(100)
      .regex(/^Custom-[A-Za-z0-9_]+$/)
      .describe('Stream of the data collection rule, Custom-<table>_CL.'),
    tenantId: z
      .string()
      .max(63)
      .regex(/^[0-9A-Za-z-]+$/)
      .describe('Id of the tenant.'),
    clientId: z
      .string()
      .max(63)
      .regex(/^[0-9A-Za-z-]+$/)
      .describe('Id of the application that may write to the rule.'),
    clientSecret: referenceOnly.describe('Secret of the application, ${NAME} of env.'),
    authority: url
      .optional()
      .describe('Authority that issues tokens in another cloud; left out: the authority of the public cloud.'),
    ...ofEverySink,
  })
  .meta(cel(namesEnv('clientSecret')))

/** The sinks to which records are written. Each sink that is named runs. */
export const recordSinksSchema = z.object({
  file: fileSinkSchema.optional().describe('A file with records.'),
  elastic: elasticSinkSchema.optional().describe('Elasticsearch.'),
  rest: restSinkSchema.optional().describe('An HTTP API.'),
  azure: azureSinkSchema
    .optional()
    .describe('Azure Log Analytics by an API that Azure has ended; this sink sends nothing and logs a WARN.'),
  azureLogs: azureLogsSinkSchema.optional().describe('Azure Monitor by the Logs Ingestion API.'),
  otlp: otlpSinkSchema.optional().describe('A receiver of OTLP logs.'),
  s3: s3SinkSchema.optional().describe('S3 objects of compressed JSON lines, one folder for each hour.'),
  postgres: postgresSinkSchema.optional().describe('A table of PostgreSQL.'),
})
export type RecordSinks = z.infer<typeof recordSinksSchema>
