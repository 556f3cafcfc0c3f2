import { z } from 'zod'

/** The kinds that the web interface shows and writes. */
export const resourceKindSchema = z.enum(['LLMGateway', 'Router', 'Processor'])
export type ResourceKind = z.infer<typeof resourceKindSchema>

/** A condition from the operator's status, or from its code's verdict on a draft. */
const conditionSchema = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  /** The generation to which the condition belongs; null for a draft, or if the condition has none. */
  observed_generation: z.number().nullable(),
  /** RFC 3339; null for a draft. */
  since: z.string().nullable(),
})
export type ResourceCondition = z.infer<typeof conditionSchema>

const summaryShape = {
  kind: resourceKindSchema,
  namespace: z.string(),
  name: z.string(),
  /** The name of the LLMGateway; of an LLMGateway its own. */
  gateway: z.string(),
  /** Set for a Router. */
  path: z.string().optional(),
  /** Set for a Processor. */
  type: z.string().optional(),
  generation: z.number(),
  /** RFC 3339 */
  created: z.string(),
  /** The condition Ready, with the reason and message of the first cause. */
  ready: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  conditions: z.array(conditionSchema),
  /** Managers of the spec: `kubectl-client-side-apply`, `helm`, `argocd-controller`. */
  managed_by: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
}

const resourceSummarySchema = z.object(summaryShape)
export type ResourceSummary = z.infer<typeof resourceSummarySchema>

const shortText = z.string().max(300)

/** A filter of resources. Unset members don't filter. */
export const resourcesQuerySchema = z.strictObject({
  kind: resourceKindSchema.optional(),
  namespace: shortText.optional(),
  /** A part of the name, namespace, path or type, in any case. */
  text: shortText.optional(),
  ready: z.enum(['True', 'False', 'Unknown']).optional(),
  /** `next` of the answer before. */
  after: shortText.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
})

/** Sorted by kind (LLMGateway, Router, Processor), namespace and name. */
export const resourcesSchema = z.object({
  resources: z.array(resourceSummarySchema),
  /** Send it as `after` for the next page; null on the last page. */
  next: z.string().nullable(),
  /** Number of matching resources on all pages. */
  total: z.number(),
  /** Counts of all known resources, without the filter. */
  counts: z.array(z.object({ kind: resourceKindSchema, total: z.number(), not_ready: z.number() })),
  /** Lists that the interface may not read, or has not read yet. */
  unreadable: z.array(
    z.object({
      namespace: z.string(),
      kind: z.string(),
      /** A text for people. */
      why: z.string(),
      /** The kubectl command that grants the right; null if no right is missing. */
      command: z.string().nullable(),
    }),
  ),
})
export type Resources = z.infer<typeof resourcesSchema>

export const resourcePlaceSchema = z.object({
  kind: resourceKindSchema,
  namespace: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/),
  name: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/),
})

const eventSchema = z.object({
  type: z.enum(['Normal', 'Warning']),
  reason: z.string(),
  message: z.string(),
  count: z.number(),
  /** RFC 3339, the time of the last event; null if the event has none. */
  time: z.string().nullable(),
  /** The reporting controller. */
  source: z.string(),
})
export type ResourceEvent = z.infer<typeof eventSchema>

/** A path in the API server's notation, `.spec.env[name="KEY"].value`; the fields below are owned too. */
export const ownedFieldSchema = z.object({ path: z.string(), manager: z.string() })
export type OwnedField = z.infer<typeof ownedFieldSchema>

/** A reference `${NAME}` in a resource. Values of Secrets are never known here. */
const variableSchema = z.object({
  name: z.string(),
  /**
   * `declared`: in the resource's own env. `shared`: by the gateway with this namespace. `not_permitted`: the gateway
   * doesn't share the variable with this namespace or for this place. `unknown`: declared nowhere.
   */
  state: z.enum(['declared', 'shared', 'not_permitted', 'unknown']),
  /** `known after apply` if a Secret or ConfigMap holds the value; null for a literal or a missing value. */
  value: z.literal('known after apply').nullable(),
})
export type ResourceVariable = z.infer<typeof variableSchema>

const rejectedFieldSchema = z.object({ field: z.string(), reason: z.string() })

export const resourceSchema = z.object({
  ...summaryShape,
  /** The URL inside the cluster, of Routers and LLMGateways, once it is known. */
  url: z.string().nullable(),
  /** YAML that can be applied: without status and added metadata, and with literals masked that may be secrets. */
  manifest: z.string(),
  /** Masked places in `manifest`, as `.spec.outbound.headers.Api-Key[0]`. */
  masked: z.array(z.string()),
  resource_version: z.string(),
  /** Newest first, at most 50. */
  events: z.array(eventSchema),
  /** Fields of spec, labels and annotations that other managers own. */
  owned_fields: z.array(ownedFieldSchema),
  rejected_fields: z.array(rejectedFieldSchema),
  variables: z.array(variableSchema),
  /** True if the interface may apply and delete the resource: mode Edit, and the API server permits it. */
  editable: z.boolean(),
  /** The reason and the remedy if the resource is not editable, else null. */
  not_editable: z.object({ why: z.string(), command: z.string().nullable() }).nullable(),
})
export type Resource = z.infer<typeof resourceSchema>

/** A pod of the gateway, ready or starting, and its file. */
export const gatewayPodSchema = z.object({
  name: z.string(),
  node: z.string(),
  ready: z.boolean(),
  /** The last answer of the pod; null without an answer. */
  digest: z.string().nullable(),
  values_revision: z.string().nullable(),
  version: z.string().nullable(),
  /** `none`: the pod runs the effective file. `behind`: an older file. `unknown`: the pod or the file isn't known. */
  lag: z.enum(['none', 'behind', 'unknown']),
})
export type GatewayPod = z.infer<typeof gatewayPodSchema>

/** The file that the operator wrote for the gateway. */
export const configurationSchema = z.object({
  /** gl_config.json, masked; null if it can't be read, for the reason in `why`. */
  text: z.string().nullable(),
  /** The digest of the real bytes. */
  digest: z.string().nullable(),
  why: z.string().nullable(),
  pods: z.array(gatewayPodSchema),
})
export type Configuration = z.infer<typeof configurationSchema>

/** More than the API server stores of one object. */
export const MOST_MANIFEST = 1024 * 1024
const manifest = z.string().max(MOST_MANIFEST)

export const manifestRequestSchema = z.strictObject({ manifest })

const changedTextSchema = z.object({ before: z.string(), after: z.string() })

/** The verdict on a manifest. Nothing is written. */
export const resourceCheckSchema = z.object({
  /** The resource that the manifest names; null if its name can't be read. */
  place: resourcePlaceSchema.nullable(),
  /** `invalid`: see `errors`. `not_ready`: a condition would be False. `unknown`: the LLMGateway isn't known here. */
  result: z.enum(['valid', 'not_ready', 'invalid', 'unknown']),
  /** The stored resource of that name; null if the manifest would create it. */
  stored: z.object({ generation: z.number(), resource_version: z.string() }).nullable(),
  /** The first 100. Lines and columns begin at 1; null if the place isn't known. */
  errors: z.array(
    z.object({
      path: z.string(),
      message: z.string(),
      line: z.number().nullable(),
      column: z.number().nullable(),
    }),
  ),
  conditions: z.array(conditionSchema),
  rejected_fields: z.array(rejectedFieldSchema),
  variables: z.array(variableSchema),
  /** Other resources that would become ready or stop being ready; the first 50. */
  others: z.array(
    z.object({
      kind: resourceKindSchema,
      namespace: z.string(),
      name: z.string(),
      before: z.enum(['True', 'False', 'Unknown']),
      after: z.enum(['True', 'False', 'Unknown']),
      reason: z.string(),
      message: z.string(),
    }),
  ),
  /** The parts of gl_config.json that would change, masked; null if none would or they aren't known. */
  file: z.object({ ...changedTextSchema.shape, cut: z.boolean() }).nullable(),
  /** A unified diff against the stored manifest, both masked; empty if there is no difference. */
  diff: z.string(),
  /** Masked places: a person who applies a copy of the text must put the values in. */
  masked: z.array(z.string()),
  /** The kubectl command of a dry run; it reads the manifest from standard input. */
  command: z.string(),
})
export type ResourceCheck = z.infer<typeof resourceCheckSchema>

export const applyRequestSchema = z.strictObject({
  manifest,
  /** The version that the person saw; another stored version is RESOURCE_CHANGED. Unset accepts any version. */
  resource_version: z.string().max(64).optional(),
})

export const appliedSchema = z.object({
  result: z.enum(['created', 'changed', 'unchanged']),
  place: resourcePlaceSchema,
  /** The manifest after the write, masked. */
  manifest: z.string(),
  resource_version: z.string(),
  generation: z.number(),
  /** A unified diff of the manifest before and after, masked; empty if there is no difference. */
  diff: z.string(),
})
export type Applied = z.infer<typeof appliedSchema>

export const deleteQuerySchema = z.strictObject({ resource_version: z.string().max(64).optional() })
export const deletedSchema = z.object({ place: resourcePlaceSchema })
