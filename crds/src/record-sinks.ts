import { z } from 'zod'
import { envEntrySchema, RESERVED_NAMES } from './env-entry.ts'
import { headersSchema } from './headers.ts'
import { resourcesSchema } from './pod-settings.ts'
import { cel, mapList, quantity, referenceOnly, subdomain, text } from './primitives.ts'

/*
 * One program each, with the settings of its file in camel case (wire, 1.2). A key doesn't stand in the resource: it is
 * `${NAME}` of the sink's env.
 */

const ofEveryOne = {
  retries: z.int().min(0).max(1000).optional().describe('How often a record is tried again; left out: 3.'),
  retryDelayMilliseconds: z
    .int()
    .min(0)
    .max(600_000)
    .optional()
    .describe('Milliseconds before the first of these, then longer; left out: 250.'),
  env: mapList(envEntrySchema, 'name', 32)
    .meta(cel(RESERVED_NAMES))
    .optional()
    .describe('Environment of the sink; its settings may name it, ${NAME}.'),
  resources: resourcesSchema.optional(),
}

/** Visible ASCII without user-info: a key doesn't stand here either. */
const url = z
  .string()
  .max(2048)
  .regex(/^(https?:\/\/[!"$-.0-?A-~]+(\/[!"$-~]*)?|\$\{[A-Za-z_][A-Za-z0-9_]*\}[!"$-?A-~]*)$/)
const port = z.int().min(1).max(65535)

/** A name that nobody gives a value would be found out only by the sink. */
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
  writeMode: z.enum(['append', 'overwrite', 'new']).default('append').describe('What happens to a file that is there.'),
  storage: z
    .object({
      emptyDir: quantity.optional().describe('Size; gone with the pod.'),
      persistentVolumeClaim: subdomain.optional().describe('Name of a claim in the same namespace.'),
    })
    .meta(
      cel({
        rule: 'has(self.emptyDir) != has(self.persistentVolumeClaim)',
        message: 'must have exactly one of emptyDir and persistentVolumeClaim',
      }),
    )
    .default({ emptyDir: '1Gi' })
    .describe('Where the file lies.'),
  ...ofEveryOne,
})

const elasticSinkSchema = z
  .object({
    url: url.describe('http(s) address of Elasticsearch.'),
    port: port.optional().describe('Port, where url has none.'),
    index: z
      .string()
      .max(255)
      .regex(/^[a-z0-9.][a-z0-9._-]*$/)
      .describe('Index that records are written to.'),
    username: text(256).optional().describe('Name of a user.'),
    password: referenceOnly.optional().describe('His password, ${NAME} of env.'),
    apiKey: referenceOnly.optional().describe('A key instead of user and password, ${NAME} of env.'),
    documentIds: z.boolean().optional().describe('A repeated try doubles nothing; left out: true.'),
    bulk: z.boolean().optional().describe('Records that wait together leave in one request; left out: true.'),
    ...ofEveryOne,
  })
  .meta(
    cel(
      { rule: 'has(self.username) == has(self.password)', message: 'username and password must go together' },
      namesEnv('password'),
      namesEnv('apiKey'),
    ),
  )

const restSinkSchema = z.object({
  url: url.describe('http(s) address that each record is posted to.'),
  port: port.optional().describe('Port, where url has none.'),
  endpoint: text(2048).optional().describe('Path below url.'),
  headers: headersSchema.optional().describe('Headers of each request; may hold ${NAME} of env.'),
  ...ofEveryOne,
})

const azureSinkSchema = z
  .object({
    workspaceId: z
      .string()
      .max(63)
      .regex(/^[0-9A-Za-z-]+$/)
      .describe('Id of the Log Analytics workspace.'),
    sharedKey: referenceOnly.describe('Its key, base64, ${NAME} of env.'),
    logType: z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9_]+$/)
      .describe('The table is <logType>_CL.'),
    timeGeneratedField: z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9_]+$/)
      .optional()
      .describe('Adds a field of this name with the time the call came in.'),
    url: url.optional().describe('Of another cloud; left out: that of the public one.'),
    ...ofEveryOne,
  })
  .meta(cel(namesEnv('sharedKey')))

/** Where records are written to; each one that is named runs (kubernetes, 1). */
export const recordSinksSchema = z.object({
  file: fileSinkSchema.optional().describe('A file of records.'),
  elastic: elasticSinkSchema.optional().describe('Elasticsearch.'),
  rest: restSinkSchema.optional().describe('An HTTP API.'),
  azure: azureSinkSchema.optional().describe('Azure Log Analytics.'),
})
export type RecordSinks = z.infer<typeof recordSinksSchema>
