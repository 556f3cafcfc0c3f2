import { z } from 'zod'
import { allowedRoutersSchema } from './allowed-routers.ts'
import { busSchema } from './bus.ts'
import { conditionsSchema, observedGenerationSchema } from './conditions.ts'
import { envEntrySchema, RESERVED_NAMES } from './env-entry.ts'
import { objectMetaSchema } from './object-meta.ts'
import { podSettingsSchema, serviceSettingsSchema } from './pod-settings.ts'
import { cel, headerName, IMMUTABLE, label, mapList, text } from './primitives.ts'
import { recordSettingsSchema } from './record-settings.ts'
import { sharedEnvEntrySchema } from './shared-env.ts'
import { tlsSettingsSchema } from './tls-settings.ts'
import type { MaybeUnreadable } from './unreadable.ts'
import { webInterfaceSchema } from './web-interface.ts'

const limitsSchema = z.object({
  requestBytes: z.int().min(1024).max(268435456).default(33554432).describe('Largest body of a request, in bytes.'),
  drainDelaySeconds: z
    .int()
    .min(0)
    .max(3600)
    .default(5)
    .describe('Seconds after SIGTERM for which the gateway still accepts connections.'),
  drainSeconds: z
    .int()
    .min(1)
    .max(86400)
    .default(610)
    .describe('Seconds after drainDelaySeconds in which running calls may end; then they are cut.'),
})

/** The spec of an LLMGateway, as people write it (docs/reference/kubernetes.md#llmgateway). */
export const llmGatewaySpecSchema = z.object({
  class: label
    .default('default')
    .meta(cel(IMMUTABLE))
    .describe('Class of the operator that looks after this LLMGateway; immutable.'),
  replicas: z.int().min(0).max(1000).default(2).describe('Number of gateway pods; an autoscaler may write this field.'),
  gatewayId: z
    .string()
    .max(8)
    .regex(/^([A-Z0-9]{8})?$/)
    .default('')
    .describe('The first part of every session id, 8 of A-Z 0-9; empty: made from the uid.'),
  allowedRouters: allowedRoutersSchema.prefault({}).describe('Routers that this LLMGateway admits.'),
  env: mapList(envEntrySchema, 'name', 64)
    .meta(cel(RESERVED_NAMES))
    .optional()
    .describe("Environment of the gateway's process; no Router can see it."),
  sharedEnv: mapList(sharedEnvEntrySchema, 'name', 64)
    .meta(cel(RESERVED_NAMES))
    .optional()
    .describe('Variables that Routers may name.'),
  bus: busSchema.prefault({}).describe('The message bus.'),
  tls: tlsSettingsSchema
    .optional()
    .describe('TLS; left out: callers speak plain HTTP, and LLM APIs are checked against the usual authorities.'),
  session: z
    .object({ header: headerName.default('Session-Id').describe('The header that carries the session id.') })
    .prefault({})
    .describe('Sessions.'),
  record: recordSettingsSchema.prefault({}).describe('The record of each call.'),
  webInterface: webInterfaceSchema
    .optional()
    .describe('A web page that shows resources, records and pods of the gateway; left out: none.'),
  limits: limitsSchema.prefault({}).describe('Limits.'),
  service: serviceSettingsSchema.prefault({}).describe('The Service in front of the pods.'),
  image: text(512)
    .default('')
    .describe("Image of the gateway, its sinks and its processors; empty: the operator's own version."),
  pod: podSettingsSchema.optional().describe('Nodes and resources of the gateway pods.'),
})
export type LlmGatewaySpec = z.infer<typeof llmGatewaySpecSchema>

const count = z.int().min(0)

export const llmGatewayStatusSchema = z.object({
  gatewayId: text(8).optional().describe('The gatewayId in use; absent while another LLMGateway has it.'),
  bus: text(512)
    .optional()
    .describe(
      'The external bus in use, host:port and prefix; absent while another LLMGateway uses it with this prefix.',
    ),
  url: text(512).optional().describe('Address of the gateway inside the cluster.'),
  replicas: count.optional().describe('Number of pods.'),
  selector: text(512).optional().describe('Label selector of the pods; for autoscalers.'),
  readyPods: count.optional().describe('Number of ready pods.'),
  updatedPods: count.optional().describe('Number of pods of the newest template.'),
  config: z
    .object({
      digest: text(80).optional().describe('Digest of the gl_config.json that pods should have.'),
      valuesRevision: text(20).optional().describe('Revision of the values beside gl_config.json.'),
    })
    .optional()
    .describe('The configuration that gateway pods should have.'),
  routers: z
    .object({
      attached: count.optional().describe('Number of Routers that name this LLMGateway.'),
      accepted: count.optional().describe('Number of accepted Routers.'),
      programmed: count.optional().describe('Number of Routers that every ready gateway pod serves.'),
    })
    .optional()
    .describe('Counts of Routers.'),
  operator: z
    .object({
      namespace: text(63).describe('Namespace of the Lease.'),
      name: text(253).describe('Name of the Lease.'),
    })
    .optional()
    .describe(
      'The Lease of the operator that looks after this LLMGateway; other operators do not change this LLMGateway while the Lease is renewed.',
    ),
  observedGeneration: observedGenerationSchema,
  conditions: conditionsSchema.optional(),
})
export type LlmGatewayStatus = z.infer<typeof llmGatewayStatusSchema>

export const llmGatewaySchema = z.object({
  metadata: objectMetaSchema,
  spec: llmGatewaySpecSchema,
  status: llmGatewayStatusSchema.default({}),
})
/** An LLMGateway as the API server returns it. */
export type LlmGateway = z.infer<typeof llmGatewaySchema> & MaybeUnreadable
