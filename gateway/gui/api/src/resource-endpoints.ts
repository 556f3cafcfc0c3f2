import { z } from 'zod'
import { bodyWithText, type Endpoint } from './endpoint.ts'
import type { FailureCode } from './failure.ts'
import {
  appliedSchema,
  applyRequestSchema,
  deletedSchema,
  deleteQuerySchema,
  MOST_MANIFEST,
  manifestRequestSchema,
  resourceCheckSchema,
} from './manifest.ts'
import { configurationSchema, resourceSchema } from './resource.ts'
import { resourceKindSchema, resourcePlaceSchema, resourcesQuerySchema, resourcesSchema } from './resources.ts'

const WRITE_FAILURES = [
  'READ_ONLY_MODE',
  'NOT_FOUND',
  'NOT_VALID',
  'TOO_MANY',
  'MASKED_NOWHERE',
  'CONFLICT_OF_MANAGERS',
  'RESOURCE_CHANGED',
  'FORBIDDEN',
  'CLUSTER_NOT_REACHABLE',
] as const satisfies readonly FailureCode[]

/** The requests that show and write the resources of a cluster. */
export const resourceEndpoints = {
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
    failures: ['NOT_FOUND', 'NOT_VALID', 'FORBIDDEN', 'CLUSTER_NOT_REACHABLE'],
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
    parameters: z.object({ kind: resourceKindSchema.describe('The kind of the resources.') }),
    answer: z.record(z.string(), z.unknown()).describe('A JSON Schema of the whole resource, draft 2020-12.'),
    failures: [],
  },
  checkResource: {
    method: 'POST',
    path: '/api/v1/resources/check',
    summary: 'Check a manifest as the operator does; the manifest is not sent to the cluster',
    access: 'session',
    edition: 'kubernetes',
    body: manifestRequestSchema,
    mostBody: bodyWithText(MOST_MANIFEST),
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
    mostBody: bodyWithText(MOST_MANIFEST),
    answer: appliedSchema,
    failures: WRITE_FAILURES,
  },
  applyResource: {
    method: 'POST',
    path: '/api/v1/resources/apply',
    summary: 'Apply a manifest server-side as field manager llm-gateway-web, never by force',
    access: 'session',
    edition: 'kubernetes',
    body: applyRequestSchema,
    mostBody: bodyWithText(MOST_MANIFEST),
    answer: appliedSchema,
    failures: WRITE_FAILURES,
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
    failures: ['READ_ONLY_MODE', 'NOT_FOUND', 'NOT_VALID', 'RESOURCE_CHANGED', 'FORBIDDEN', 'CLUSTER_NOT_REACHABLE'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>
