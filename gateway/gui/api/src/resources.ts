import { z } from 'zod'

/** The kinds that the web interface shows, and the only ones that it writes. */
export const resourceKindSchema = z.enum(['LLMGateway', 'Router', 'Processor'])
export type ResourceKind = z.infer<typeof resourceKindSchema>

/** A condition as the operator wrote it, or as its code judges a draft. */
const conditionSchema = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  /** The generation that was judged; null: of a draft, or not told. */
  observed_generation: z.number().nullable(),
  /** RFC 3339; null: of a draft. */
  since: z.string().nullable(),
})
export type ResourceCondition = z.infer<typeof conditionSchema>

const summaryShape = {
  kind: resourceKindSchema,
  namespace: z.string(),
  name: z.string(),
  /** Name of the LLMGateway; its own where it is one. */
  gateway: z.string(),
  /** Of a Router. */
  path: z.string().optional(),
  /** Of a Processor. */
  type: z.string().optional(),
  generation: z.number(),
  /** RFC 3339 */
  created: z.string(),
  /** The condition Ready; its reason and message are of the first cause. */
  ready: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  conditions: z.array(conditionSchema),
  /** Names of the managers of its spec: `kubectl-client-side-apply`, `helm`, `argocd-controller`. */
  managed_by: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
}

const resourceSummarySchema = z.object(summaryShape)
export type ResourceSummary = z.infer<typeof resourceSummarySchema>

const shortText = z.string().max(300)

/** Which resources; what isn't given isn't asked for. */
export const resourcesQuerySchema = z.strictObject({
  kind: resourceKindSchema.optional(),
  namespace: shortText.optional(),
  /** Stands in the name, the namespace, the path or the type, whatever its case. */
  text: shortText.optional(),
  ready: z.enum(['True', 'False', 'Unknown']).optional(),
  /** `next` of the answer before. */
  after: shortText.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
})

/** By kind (LLMGateway, Router, Processor), namespace and name. */
export const resourcesSchema = z.object({
  resources: z.array(resourceSummarySchema),
  /** Ask again with it as `after`; null: these were the last. */
  next: z.string().nullable(),
  /** How many fit, on all pages. */
  total: z.number(),
  /** Of everything that is known, whatever was asked for. */
  counts: z.array(z.object({ kind: resourceKindSchema, total: z.number(), not_ready: z.number() })),
  /** What the interface may not see, or hasn't seen yet. */
  unreadable: z.array(
    z.object({
      namespace: z.string(),
      kind: z.string(),
      /** For people. */
      why: z.string(),
      /** The kubectl command that gives the right; null: none is missing. */
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
  /** RFC 3339, of the last time; null: not told. */
  time: z.string().nullable(),
  /** Who tells it. */
  source: z.string(),
})
export type ResourceEvent = z.infer<typeof eventSchema>

/** A path as the API server writes it: `.spec.outbound.url`, `.spec.env[name="KEY"].value`. What lies below it is owned too. */
export const ownedFieldSchema = z.object({ path: z.string(), manager: z.string() })
export type OwnedField = z.infer<typeof ownedFieldSchema>

/** A `${NAME}` that stands in a resource. Values of Secrets are never known here. */
const variableSchema = z.object({
  name: z.string(),
  /**
   * `declared`: in the resource's own env. `shared`: by the gateway, for this namespace. `not_permitted`: the gateway doesn't
   * share it with this namespace, or not for this place. `unknown`: nobody declares it.
   */
  state: z.enum(['declared', 'shared', 'not_permitted', 'unknown']),
  /** `known after apply` where a Secret or ConfigMap holds the value; null: a literal, or there is none. */
  value: z.literal('known after apply').nullable(),
})
export type ResourceVariable = z.infer<typeof variableSchema>

const rejectedFieldSchema = z.object({ field: z.string(), reason: z.string() })

export const resourceSchema = z.object({
  ...summaryShape,
  /** Where callers reach it inside the cluster; of Routers and LLMGateways, once it is known. */
  url: z.string().nullable(),
  /** YAML that can be applied: without status and what the API server adds; literals that may be secrets are masked. */
  manifest: z.string(),
  /** Places in `manifest` whose text is masked, as `.spec.outbound.headers.Api-Key[0]`. */
  masked: z.array(z.string()),
  resource_version: z.string(),
  /** Newest first, at most 50. */
  events: z.array(eventSchema),
  /** Fields below spec, labels and annotations that a manager other than this interface owns. */
  owned_fields: z.array(ownedFieldSchema),
  rejected_fields: z.array(rejectedFieldSchema),
  variables: z.array(variableSchema),
  /** The interface may apply and delete it: mode Edit, and the API server lets its account. */
  editable: z.boolean(),
  /** Why not, with what to do; null: it is. */
  not_editable: z.object({ why: z.string(), command: z.string().nullable() }).nullable(),
})
export type Resource = z.infer<typeof resourceSchema>

/** A ready pod, or one that is to be, and what it runs. */
export const gatewayPodSchema = z.object({
  name: z.string(),
  node: z.string(),
  ready: z.boolean(),
  /** What the pod said last; null: it hasn't answered. */
  digest: z.string().nullable(),
  values_revision: z.string().nullable(),
  version: z.string().nullable(),
  /** `none`: it runs the effective file. `behind`: another one. `unknown`: it doesn't answer, or the file isn't known. */
  lag: z.enum(['none', 'behind', 'unknown']),
})
export type GatewayPod = z.infer<typeof gatewayPodSchema>

/** The file that the operator wrote for the gateway. */
export const configurationSchema = z.object({
  /** gl_config.json, masked; null: it isn't there or can't be read, `why` says so. */
  text: z.string().nullable(),
  /** Of the real bytes. */
  digest: z.string().nullable(),
  why: z.string().nullable(),
  pods: z.array(gatewayPodSchema),
})
export type Configuration = z.infer<typeof configurationSchema>

/** A megabyte is more than the API server stores of one object. */
export const MOST_MANIFEST = 1024 * 1024
const manifest = z.string().max(MOST_MANIFEST)

export const manifestRequestSchema = z.strictObject({ manifest })

const changedTextSchema = z.object({ before: z.string(), after: z.string() })

/** What would become of a manifest; nothing is written. */
export const resourceCheckSchema = z.object({
  /** Whom the manifest names; null: it can't be read that far. */
  place: resourcePlaceSchema.nullable(),
  /** `invalid`: `errors` say why. `not_ready`: a condition would be False. `unknown`: the LLMGateway isn't known here. */
  result: z.enum(['valid', 'not_ready', 'invalid', 'unknown']),
  /** What is stored under that name; null: nothing, it would be created. */
  stored: z.object({ generation: z.number(), resource_version: z.string() }).nullable(),
  /** The first 100. Lines and columns begin at 1; null: the place is known no closer. */
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
  /** Other resources that would change from working to not working or back; the first 50. */
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
  /** The parts of gl_config.json that would change, masked; null: none would, or they aren't known. */
  file: z.object({ ...changedTextSchema.shape, cut: z.boolean() }).nullable(),
  /** Unified diff against the stored manifest, both masked; empty: no difference. */
  diff: z.string(),
  /** Places that hold the mask: whoever applies a copy of the text must put the values in. */
  masked: z.array(z.string()),
  /** The kubectl command of a dry run, which reads the manifest from its standard input. */
  command: z.string(),
})
export type ResourceCheck = z.infer<typeof resourceCheckSchema>

export const applyRequestSchema = z.strictObject({
  manifest,
  /** As it was seen; another one stored meanwhile is RESOURCE_CHANGED. Left out: whatever is stored. */
  resource_version: z.string().max(64).optional(),
})

export const appliedSchema = z.object({
  result: z.enum(['created', 'changed', 'unchanged']),
  place: resourcePlaceSchema,
  /** As the API server has it then, masked. */
  manifest: z.string(),
  resource_version: z.string(),
  generation: z.number(),
  /** Unified diff of the manifest before and after, masked; empty: no difference. */
  diff: z.string(),
})
export type Applied = z.infer<typeof appliedSchema>

export const deleteQuerySchema = z.strictObject({ resource_version: z.string().max(64).optional() })
export const deletedSchema = z.object({ place: resourcePlaceSchema })
