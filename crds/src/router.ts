import { z } from 'zod'
import { conditionsSchema, observedGenerationSchema } from './conditions.ts'
import { envEntrySchema, RESERVED_NAMES } from './env-entry.ts'
import { headersSchema } from './headers.ts'
import { objectMetaSchema } from './object-meta.ts'
import { atomicList, cel, IMMUTABLE, label, mapList, text } from './primitives.ts'
import { NO_DOT_SEGMENT, routerPath } from './router-path.ts'
import type { MaybeUnreadable } from './unreadable.ts'

const gatewayRefSchema = z
  .object({
    name: label.max(40).describe('Name of the LLMGateway.'),
    namespace: label.optional().describe('Namespace of the LLMGateway; left out: the namespace of this Router.'),
  })
  .meta(cel(IMMUTABLE))
  .describe('The LLMGateway that serves this Router; immutable.')

const pathSchema = routerPath()
  .meta(cel(IMMUTABLE, NO_DOT_SEGMENT))
  .describe(
    'Beginning of the paths of this Router’s calls: /name/; where several Routers fit, the longest path wins; immutable.',
  )

/** A reference may hold the scheme, so only an address without references is judged. */
const HTTP_OR_REFERENCE = {
  rule: "self == '' || self.matches('[$][{][A-Za-z_][A-Za-z0-9_]*[}]') || self.matches('^[hH][tT][tT][pP][sS]?://')",
  message: 'must begin with http:// or https://, or hold a ${NAME}',
}

/**
 * The spec of a Router: a router's entry of gl_config.json, plus `gatewayRef` and `env`
 * (docs/reference/kubernetes.md#router).
 */
export const routerSpecSchema = z.object({
  gatewayRef: gatewayRefSchema,
  path: pathSchema,
  internal: z
    .boolean()
    .default(false)
    .describe('true: only a re-route by a processor reaches the Router; callers get 404.'),
  ingress: z
    .object({
      headers: headersSchema
        .optional()
        .describe('Headers that a call must have, each with these values; ["regex:.+"]: any value that is not empty.'),
    })
    .optional()
    .describe('Check of the headers of a call; left out: every call passes.'),
  outbound: z
    .object({
      url: z
        .string()
        .min(1)
        .max(2048)
        .meta(cel(HTTP_OR_REFERENCE))
        .describe('http(s) address of the LLM API; may hold ${NAME}.'),
      endpoint: text(2048).optional().describe("Path and query used instead of the rest of the call's path."),
      headers: headersSchema
        .optional()
        .describe('Headers that are sent to the LLM API; they replace headers of the call with the same name.'),
    })
    .describe('The LLM API to which calls are sent.'),
  env: mapList(envEntrySchema, 'name', 64)
    .meta(cel(RESERVED_NAMES))
    .optional()
    .describe('Values of ${NAME} in this Router.'),
})
export type RouterSpec = z.infer<typeof routerSpecSchema>

const rejectedFieldSchema = z.object({
  field: text(256).describe('Path of the field below spec, such as outbound.url.'),
  reason: text(256).describe('Reason why the field is rejected, without its value.'),
})

export const routerStatusSchema = z.object({
  url: text(512).optional().describe('Address of the Router inside the cluster.'),
  rejectedFields: atomicList(rejectedFieldSchema, 16)
    .optional()
    .describe('Fields because of which the Router does not work.'),
  observedGeneration: observedGenerationSchema,
  conditions: conditionsSchema.optional(),
})
export type RouterStatus = z.infer<typeof routerStatusSchema>
export type RejectedField = z.infer<typeof rejectedFieldSchema>

export const routerSchema = z.object({
  metadata: objectMetaSchema,
  spec: routerSpecSchema,
  status: routerStatusSchema.default({}),
})
/** A Router as the API server returns it. */
export type Router = z.infer<typeof routerSchema> & MaybeUnreadable
