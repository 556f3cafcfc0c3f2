import { z } from 'zod'

/** The kinds that the web interface shows and writes. */
export const resourceKindSchema = z.enum(['LLMGateway', 'Router', 'Processor'])
export type ResourceKind = z.infer<typeof resourceKindSchema>

export const conditionStatusSchema = z.enum(['True', 'False', 'Unknown'])

/** A condition from the operator's status, or from its code's verdict on a draft. */
export const conditionSchema = z
  .object({
    type: z.string().describe('The type, such as `Ready`.'),
    status: conditionStatusSchema.describe('`True` or `False`; `Unknown` where nobody could judge.'),
    reason: z.string().describe('The reason, for programs.'),
    message: z.string().describe('The cause, for people.'),
    observed_generation: z
      .number()
      .nullable()
      .describe('The generation to which the condition belongs; null for a draft, or if the condition has none.'),
    since: z.string().nullable().describe('RFC 3339: when the status changed last; null for a draft.'),
  })
  .meta({ id: 'Condition', description: 'A condition of a resource.' })
export type ResourceCondition = z.infer<typeof conditionSchema>

export const summaryShape = {
  kind: resourceKindSchema.describe('The kind of the resource.'),
  namespace: z.string().describe('The namespace of the resource.'),
  name: z.string().describe('The name of the resource.'),
  gateway: z.string().describe('The name of its LLMGateway; of an LLMGateway its own.'),
  path: z.string().optional().describe('`spec.path` of a Router. Absent for other kinds.'),
  type: z.string().optional().describe('`spec.type` of a Processor. Absent for other kinds.'),
  generation: z.number().describe('`metadata.generation`: a count of the edits of its spec.'),
  created: z.string().describe('RFC 3339: when the resource was made.'),
  ready: conditionStatusSchema.describe(
    'The status of the condition Ready; `Unknown` until the operator has looked at the newest edit.',
  ),
  reason: z.string().describe('The reason of Ready; `Pending` until the operator has looked at the newest edit.'),
  message: z.string().describe('The message of Ready, for people.'),
  conditions: z.array(conditionSchema).describe('All conditions of its status.'),
  managed_by: z
    .array(z.string())
    .describe(
      'The field managers that have written the resource, its status aside: `helm`, `kubectl-client-side-apply`, `argocd-controller`; at most 64.',
    ),
  labels: z
    .record(z.string(), z.string())
    .describe('The labels of the resource, by name. Of more than 4,096 characters only the first labels are shown.'),
}

const resourceSummarySchema = z
  .object(summaryShape)
  .meta({ id: 'ResourceSummary', description: 'A resource without its manifest.' })
export type ResourceSummary = z.infer<typeof resourceSummarySchema>

const shortText = z.string().max(300).optional()

/** A filter of resources. Unset members don't filter. */
export const resourcesQuerySchema = z.strictObject({
  kind: resourceKindSchema.optional().describe('Only resources of this kind.'),
  namespace: shortText.describe('Only resources in this namespace.'),
  text: shortText.describe(
    'Only resources with this text in the name, the namespace, the path or the type, in upper or lower case.',
  ),
  ready: conditionStatusSchema.optional().describe('Only resources with this status of Ready.'),
  after: shortText.describe('`next` of the answer before: goes on with the next page.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(500)
    .describe('The largest number of resources in the answer.'),
})

export const resourcesSchema = z.object({
  resources: z
    .array(resourceSummarySchema)
    .describe('The resources of the page, sorted by kind (LLMGateway, Router, Processor), namespace and name.'),
  next: z.string().nullable().describe('Send it as `after` for the next page; null on the last page.'),
  total: z.number().describe('The number of matching resources on all pages.'),
  counts: z
    .array(
      z.object({
        kind: resourceKindSchema.describe('The kind of the resources.'),
        total: z.number().describe('The number of resources.'),
        not_ready: z.number().describe('The number of those whose Ready is not True.'),
      }),
    )
    .describe('All known resources of each kind, without the filter.'),
  unreadable: z
    .array(
      z.object({
        namespace: z.string().describe('The namespace of the list.'),
        kind: z.string().describe('The kind of the list: also `Pod` and `Deployment`.'),
        why: z.string().describe('The cause, for people.'),
        command: z
          .string()
          .nullable()
          .describe('The kubectl command that gives the right; null if no right is missing.'),
      }),
    )
    .describe('The lists that the web interface may not read, does not follow, or has not read yet.'),
})
export type Resources = z.infer<typeof resourcesSchema>

const label = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)

export const resourcePlaceSchema = z
  .object({
    kind: resourceKindSchema.describe('The kind of the resource.'),
    namespace: label.describe('The namespace of the resource: a DNS label.'),
    name: label.describe('The name of the resource: a DNS label.'),
  })
  .meta({ id: 'ResourcePlace', description: 'The place of a resource.' })
