import { z } from 'zod'
import { checkSchema } from './check.ts'
import { type FailureCode, fileVersionSchema } from './failure.ts'
import {
  archiveEntrySchema,
  checkRequestSchema,
  deployRequestSchema,
  deployResultSchema,
  fileNameSchema,
  fileSchema,
  fileSummarySchema,
  restoreRequestSchema,
  saveDraftSchema,
} from './files.ts'
import { chartsSchema, overviewSchema } from './overview.ts'
import {
  appliedSchema,
  applyRequestSchema,
  configurationSchema,
  deletedSchema,
  deleteQuerySchema,
  manifestRequestSchema,
  resourceCheckSchema,
  resourceKindSchema,
  resourcePlaceSchema,
  resourceSchema,
  resourcesQuerySchema,
  resourcesSchema,
} from './resources.ts'
import { routersSchema } from './routers.ts'
import { loginRequestSchema, sessionSchema } from './session.ts'
import {
  historyQuerySchema,
  historySchema,
  liveEventSchema,
  recordSchema,
  transactionFilterSchema,
} from './transactions.ts'
import { tryEventSchema, tryRequestSchema } from './trying.ts'

/** The two editions: files on a machine, or custom resources of a cluster. */
export type Edition = 'standalone' | 'kubernetes'

export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `:name` is a parameter. */
  readonly path: `/api/v1/${string}`
  readonly summary: string
  /** `open` needs no session. */
  readonly access: 'open' | 'session'
  /** Unset if both editions have the endpoint. */
  readonly edition?: Edition
  readonly parameters?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** JSON, or server-sent events whose `data` is JSON with the event's name in `event`. */
  readonly answer: z.ZodType
  readonly events?: true
  /** The failures in addition to those of every request. */
  readonly failures: readonly FailureCode[]
}

const file = z.object({ file: fileNameSchema })
const version = z.object({ file: fileNameSchema, digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) })

/** All requests of the page and of scripts. Scripts send `Authorization: Bearer <GUI_SECRET>` and need no login. */
export const endpoints = {
  session: {
    method: 'GET',
    path: '/api/v1/session',
    summary: 'The session, and if a login is possible',
    access: 'open',
    answer: sessionSchema,
    failures: [],
  },
  login: {
    method: 'POST',
    path: '/api/v1/session',
    summary: 'Log in',
    access: 'open',
    body: loginRequestSchema,
    answer: sessionSchema,
    failures: ['WRONG_SECRET', 'LOCKED', 'LOGIN_IMPOSSIBLE'],
  },
  logout: {
    method: 'DELETE',
    path: '/api/v1/session',
    summary: 'Log out',
    access: 'session',
    answer: sessionSchema,
    failures: [],
  },
  overview: {
    method: 'GET',
    path: '/api/v1/overview',
    summary: 'The running parts and their problems',
    access: 'session',
    answer: overviewSchema,
    failures: [],
  },
  charts: {
    method: 'GET',
    path: '/api/v1/charts',
    summary: 'Rates, latencies and tokens of the last minutes',
    access: 'session',
    query: z.strictObject({ minutes: z.coerce.number().int().min(1).max(60).default(15) }),
    answer: chartsSchema,
    failures: [],
  },
  files: {
    method: 'GET',
    path: '/api/v1/files',
    summary: 'The configuration files and their drafts',
    access: 'session',
    edition: 'standalone',
    answer: z.object({ files: z.array(fileSummarySchema) }),
    failures: [],
  },
  file: {
    method: 'GET',
    path: '/api/v1/files/:file',
    summary: 'One file: the live text, the draft and its check',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    answer: fileSchema,
    failures: [],
  },
  schema: {
    method: 'GET',
    path: '/api/v1/files/:file/schema',
    summary: 'The JSON Schema of a file, for editors',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    answer: z.record(z.string(), z.unknown()),
    failures: [],
  },
  saveDraft: {
    method: 'PUT',
    path: '/api/v1/files/:file/draft',
    summary: 'Save the draft: a complete text, or changes of single values',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    body: saveDraftSchema,
    answer: fileSchema,
    failures: ['CONFLICT', 'READ_ONLY', 'MASKED_NOWHERE'],
  },
  discardDraft: {
    method: 'DELETE',
    path: '/api/v1/files/:file/draft',
    summary: 'Discard the draft',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    query: z.strictObject({ tag: z.string() }),
    answer: fileSchema,
    failures: ['CONFLICT'],
  },
  check: {
    method: 'POST',
    path: '/api/v1/files/:file/check',
    summary: 'Check a text without saving it',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    body: checkRequestSchema,
    answer: checkSchema,
    failures: ['MASKED_NOWHERE', 'READ_ONLY'],
  },
  deploy: {
    method: 'POST',
    path: '/api/v1/files/:file/deploy',
    summary: 'Make the draft live',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    body: deployRequestSchema,
    answer: deployResultSchema,
    failures: ['CONFLICT', 'NO_DRAFT', 'NOT_VALID', 'READ_ONLY', 'NOT_WRITABLE'],
  },
  archive: {
    method: 'GET',
    path: '/api/v1/files/:file/archive',
    summary: 'Earlier versions, newest first',
    access: 'session',
    edition: 'standalone',
    parameters: file,
    answer: z.object({ entries: z.array(archiveEntrySchema) }),
    failures: [],
  },
  archived: {
    method: 'GET',
    path: '/api/v1/files/:file/archive/:digest',
    summary: 'One earlier version, masked',
    access: 'session',
    edition: 'standalone',
    parameters: version,
    answer: fileVersionSchema,
    failures: [],
  },
  restore: {
    method: 'POST',
    path: '/api/v1/files/:file/archive/:digest/restore',
    summary: 'Make an earlier version the draft, including its secrets',
    access: 'session',
    edition: 'standalone',
    parameters: version,
    body: restoreRequestSchema,
    answer: fileSchema,
    failures: ['CONFLICT', 'READ_ONLY'],
  },
  routers: {
    method: 'GET',
    path: '/api/v1/routers',
    summary: 'The routers of the draft or of the resources, with their states',
    access: 'session',
    answer: routersSchema,
    failures: [],
  },
  resources: {
    method: 'GET',
    path: '/api/v1/resources',
    summary: 'The LLMGateway, its Routers and its Processors, with their states',
    access: 'session',
    edition: 'kubernetes',
    query: resourcesQuerySchema,
    answer: resourcesSchema,
    failures: [],
  },
  resource: {
    method: 'GET',
    path: '/api/v1/resources/:kind/:namespace/:name',
    summary: 'One resource: its manifest, conditions, events and the owners of its fields',
    access: 'session',
    edition: 'kubernetes',
    parameters: resourcePlaceSchema,
    answer: resourceSchema,
    failures: ['FORBIDDEN', 'CLUSTER_NOT_REACHABLE'],
  },
  configuration: {
    method: 'GET',
    path: '/api/v1/configuration',
    summary: 'The effective gl_config.json and the file of each gateway pod',
    access: 'session',
    edition: 'kubernetes',
    answer: configurationSchema,
    failures: [],
  },
  resourceSchema: {
    method: 'GET',
    path: '/api/v1/resource-schemas/:kind',
    summary: 'The JSON Schema of a kind, for editors',
    access: 'session',
    edition: 'kubernetes',
    parameters: z.object({ kind: resourceKindSchema }),
    answer: z.record(z.string(), z.unknown()),
    failures: [],
  },
  checkResource: {
    method: 'POST',
    path: '/api/v1/resources/check',
    summary: 'Check a manifest as the operator does; nothing is sent to the cluster',
    access: 'session',
    edition: 'kubernetes',
    body: manifestRequestSchema,
    answer: resourceCheckSchema,
    failures: ['TOO_MANY'],
  },
  dryRunResource: {
    method: 'POST',
    path: '/api/v1/resources/dry-run',
    summary: 'Let the API server check a manifest without storing it',
    access: 'session',
    edition: 'kubernetes',
    body: applyRequestSchema,
    answer: appliedSchema,
    failures: [
      'READ_ONLY_MODE',
      'NOT_VALID',
      'TOO_MANY',
      'MASKED_NOWHERE',
      'CONFLICT_OF_MANAGERS',
      'RESOURCE_CHANGED',
      'FORBIDDEN',
      'CLUSTER_NOT_REACHABLE',
    ],
  },
  applyResource: {
    method: 'POST',
    path: '/api/v1/resources/apply',
    summary: 'Apply a manifest server-side as field manager llm-gateway-web, never by force',
    access: 'session',
    edition: 'kubernetes',
    body: applyRequestSchema,
    answer: appliedSchema,
    failures: [
      'READ_ONLY_MODE',
      'NOT_VALID',
      'TOO_MANY',
      'MASKED_NOWHERE',
      'CONFLICT_OF_MANAGERS',
      'RESOURCE_CHANGED',
      'FORBIDDEN',
      'CLUSTER_NOT_REACHABLE',
    ],
  },
  deleteResource: {
    method: 'DELETE',
    path: '/api/v1/resources/:kind/:namespace/:name',
    summary: 'Delete a resource',
    access: 'session',
    edition: 'kubernetes',
    parameters: resourcePlaceSchema,
    query: deleteQuerySchema,
    answer: deletedSchema,
    failures: ['READ_ONLY_MODE', 'RESOURCE_CHANGED', 'FORBIDDEN', 'CLUSTER_NOT_REACHABLE'],
  },
  live: {
    method: 'GET',
    path: '/api/v1/transactions/live',
    summary: 'Transactions as they end',
    access: 'session',
    query: transactionFilterSchema,
    answer: liveEventSchema,
    events: true,
    failures: ['TOO_MANY'],
  },
  history: {
    method: 'GET',
    path: '/api/v1/transactions',
    summary: 'Stored transactions',
    access: 'session',
    query: historyQuerySchema,
    answer: historySchema,
    failures: ['TOO_MANY'],
  },
  record: {
    method: 'GET',
    path: '/api/v1/transactions/:id',
    summary: 'One complete record',
    access: 'session',
    parameters: z.object({ id: z.string().regex(/^([sm]\d{1,16}|f\d{1,20}-\d{1,16})$/) }),
    answer: recordSchema,
    failures: [],
  },
  try: {
    method: 'POST',
    path: '/api/v1/try',
    summary: 'Send a request to a router and watch the answer arrive',
    access: 'session',
    body: tryRequestSchema,
    answer: tryEventSchema,
    events: true,
    failures: ['TOO_MANY'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>

export type EndpointName = keyof typeof endpoints
type BodyOf<E> = E extends { readonly body: infer Body extends z.ZodType } ? z.input<Body> : undefined
type QueryOf<E> = E extends { readonly query: infer Query extends z.ZodType } ? z.input<Query> : undefined

/** The body of a request; undefined if the endpoint takes none. */
export type EndpointBody<Name extends EndpointName> = BodyOf<(typeof endpoints)[Name]>
export type EndpointQuery<Name extends EndpointName> = QueryOf<(typeof endpoints)[Name]>
/** The answer's body, or one of its events. */
export type EndpointAnswer<Name extends EndpointName> = z.infer<(typeof endpoints)[Name]['answer']>
