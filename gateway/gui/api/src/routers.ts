import { z } from 'zod'
import { checkedFieldSchema, variableStateSchema } from './check.ts'

const headerSchema = z
  .object({
    name: z.string().describe('The name of the header.'),
    values: z.array(z.string()).describe('The values as written, with `[*****MASKED*****]` in place of secrets.'),
  })
  .meta({ id: 'Header', description: 'A header of a router.' })

/** A router of the draft, or of the live file if there is no draft. */
const routerSchema = z
  .object({
    index: z
      .number()
      .nullable()
      .describe('The index in `routers` of gl_config.json, from 0; null for the built-in router, and on Kubernetes.'),
    path: z.string().describe('The path of the router.'),
    disabled: z.boolean().describe('True if `disabled` switches the router off. Always false on Kubernetes.'),
    internal: z.boolean().describe('True if only pools and processors use the router: `internal`.'),
    url: z.string().describe('`outbound.url` as written, masked; empty without one.'),
    endpoint: z.string().describe('`outbound.endpoint` as written, masked; empty without one.'),
    ingress_headers: z.array(headerSchema).describe('The headers that the router checks.'),
    outbound_headers: z.array(headerSchema).describe('The headers that the router sends to the LLM API.'),
    variables: z
      .array(
        z.object({
          name: z.string().describe('The name in `${NAME}`.'),
          state: variableStateSchema.describe(
            '`set`, `generated` or `unset` in the environment of the gateway. On Kubernetes `set` if the Router’s own `env` has it, else `unset`.',
          ),
        }),
      )
      .describe('The variables that the router refers to.'),
    state: z
      .enum(['active', 'internal', 'disabled', 'rejected'])
      .describe(
        'The verdict of the check. `active`: callers can use the router. `rejected`: `fields` says why it can’t run; on Kubernetes its Ready is False.',
      ),
    fields: z
      .array(checkedFieldSchema)
      .describe('The fields with a fault. On Kubernetes one entry with an empty path if Ready is False.'),
    deployed: z
      .enum(['live', 'rejected', 'changed', 'new', 'unknown'])
      .describe(
        '`live`: the gateway runs exactly this text. `rejected`: it has the text and can’t run it. `changed`, `new`: the text is not deployed. `unknown`: the gateway does not answer. On Kubernetes `live`, `changed` or `unknown` as Ready is True, False or Unknown.',
      ),
    caller_headers: z
      .array(
        z.object({
          name: z.string().describe('The name of the header.'),
          value: z
            .string()
            .nullable()
            .describe('The value to send; null for a secret, a variable, and for `regex:.+`, which takes any value.'),
          variable: z
            .string()
            .nullable()
            .describe('The variable that holds the value; null if the value refers to none.'),
        }),
      )
      .describe('The headers that callers must send, one entry for each allowed value.'),
  })
  .meta({ id: 'Router', description: 'A router: of gl_config.json, or a Router resource.' })
export type Router = z.infer<typeof routerSchema>

export const routersSchema = z.object({
  tag: z
    .string()
    .describe(
      'The digest of the text that is listed: the draft, else the live file. On Kubernetes a number that grows with each change.',
    ),
  routers: z
    .array(routerSchema)
    .describe(
      'In the order of the file, then the built-in `/echo/` if the file has none. On Kubernetes by path, at most 1,000.',
    ),
  removed: z
    .array(z.string())
    .describe('The paths that the gateway runs and the text does not have. Empty on Kubernetes.'),
})
export type Routers = z.infer<typeof routersSchema>
