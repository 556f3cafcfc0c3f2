import { z } from 'zod'
import { summaryShape } from './resources.ts'

const eventSchema = z.object({
  type: z.enum(['Normal', 'Warning']).describe('`Warning` if the event reports a problem.'),
  reason: z.string().describe('The reason, for programs.'),
  message: z.string().describe('A text for people, at most 2,000 characters.'),
  count: z.number().describe('How often the event came.'),
  time: z.string().nullable().describe('RFC 3339: when it came last; null if the event has no time.'),
  source: z.string().describe('The controller that reports it; empty if the event names none.'),
})
export type ResourceEvent = z.infer<typeof eventSchema>

/** A field of another manager; the fields below are owned too. */
export const ownedFieldSchema = z
  .object({
    path: z
      .string()
      .describe(
        'The path in the API server’s notation, such as `.spec.env[name="KEY"].value`. The fields below belong to it.',
      ),
    manager: z.string().describe('The name of the manager.'),
  })
  .meta({ id: 'OwnedField', description: 'A field of a resource and the field manager that owns it.' })
export type OwnedField = z.infer<typeof ownedFieldSchema>

/** A reference `${NAME}` in a resource. Values of Secrets are never known here. */
export const resourceVariableSchema = z
  .object({
    name: z.string().describe('The name in `${NAME}`.'),
    state: z
      .enum(['declared', 'shared', 'not_permitted', 'unknown'])
      .describe(
        '`declared`: in the Router’s own `env`. `shared`: the gateway shares it with this namespace. `not_permitted`: the gateway does not share it with this namespace or for this place. `unknown`: declared nowhere.',
      ),
    value: z
      .literal('known after apply')
      .nullable()
      .describe('`known after apply` if a Secret or ConfigMap holds the value; null for a literal or a missing value.'),
  })
  .meta({ id: 'ResourceVariable', description: 'A variable that a Router refers to. Its value is never sent.' })
export type ResourceVariable = z.infer<typeof resourceVariableSchema>

export const rejectedFieldSchema = z
  .object({
    field: z.string().describe('The path of the field.'),
    reason: z.string().describe('The reason, such as `required:`.'),
  })
  .meta({ id: 'RejectedField', description: 'A field that keeps a Router from working.' })

export const resourceSchema = z.object({
  ...summaryShape,
  url: z
    .string()
    .nullable()
    .describe(
      '`status.url`, the address inside the cluster; null for a Processor, and until the operator has written it.',
    ),
  manifest: z
    .string()
    .describe(
      'YAML that can be applied: without status and added metadata, and with masks in place of literals that may be secrets.',
    ),
  masked: z.array(z.string()).describe('The masked places of `manifest`, such as `.spec.outbound.headers.Api-Key[0]`.'),
  resource_version: z.string().describe('The version of the stored resource. Send it with a change.'),
  events: z.array(eventSchema).describe('The events, newest first, at most 50. Empty if they can’t be read.'),
  owned_fields: z
    .array(ownedFieldSchema)
    .describe('The fields of spec, labels and annotations that other managers own, at most 1,000.'),
  rejected_fields: z
    .array(rejectedFieldSchema)
    .describe('The fields that keep a Router from working, as its status says. Empty for other kinds.'),
  variables: z
    .array(resourceVariableSchema)
    .describe('The variables that a Router refers to. Empty for other kinds, and while the LLMGateway is not known.'),
  editable: z
    .boolean()
    .describe('True if the web interface may change the resource: its mode is `Edit`, and the API server permits it.'),
  not_editable: z
    .object({
      why: z.string().describe('The cause, for people.'),
      command: z.string().nullable().describe('The kubectl command that gives the right; null if no right is missing.'),
    })
    .nullable()
    .describe('Why the resource can’t be changed here; null if it can.'),
})
export type Resource = z.infer<typeof resourceSchema>

/** A pod of the gateway, ready or starting, and its file. */
export const gatewayPodSchema = z
  .object({
    name: z.string().describe('The name of the pod.'),
    node: z.string().describe('The node; empty until the pod has one.'),
    ready: z.boolean().describe('True if the pod is ready and is not being deleted.'),
    digest: z
      .string()
      .nullable()
      .describe('The digest of the configuration in force in the pod; null if the pod does not answer.'),
    values_revision: z
      .string()
      .nullable()
      .describe('The count of changes of its values; null without values, or if the pod does not answer.'),
    version: z.string().nullable().describe('The version of its program; null if the pod does not answer.'),
    lag: z
      .enum(['none', 'behind', 'unknown'])
      .describe(
        '`none`: the pod runs the effective file. `behind`: another one. `unknown`: the pod does not answer, or the file can’t be read.',
      ),
  })
  .meta({ id: 'GatewayPod', description: 'A pod of the gateway and the file that it runs.' })
export type GatewayPod = z.infer<typeof gatewayPodSchema>

/** The file that the operator wrote for the gateway. */
export const configurationSchema = z.object({
  text: z.string().nullable().describe('gl_config.json, masked; null if it can’t be read.'),
  digest: z.string().nullable().describe('The digest of the real text; null if it can’t be read.'),
  why: z.string().nullable().describe('Why the file can’t be read, for people; null if it can.'),
  pods: z.array(gatewayPodSchema).describe('The pods of the gateway, by name.'),
})
export type Configuration = z.infer<typeof configurationSchema>
