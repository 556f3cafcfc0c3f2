import { z } from 'zod'
import { checkedFieldSchema } from './check.ts'

const headerSchema = z.object({
  name: z.string(),
  /** The values as written, with masked secrets. */
  values: z.array(z.string()),
})

/** A router of the draft, or of the live file if there is no draft, with its states. */
const routerSchema = z.object({
  /** The index in `routers` of gl_config.json; null for the built-in router. */
  index: z.number().nullable(),
  path: z.string(),
  disabled: z.boolean(),
  internal: z.boolean(),
  url: z.string(),
  endpoint: z.string(),
  ingress_headers: z.array(headerSchema),
  outbound_headers: z.array(headerSchema),
  variables: z.array(z.object({ name: z.string(), state: z.enum(['set', 'generated', 'unset']) })),
  /** The state according to the check. */
  state: z.enum(['active', 'internal', 'disabled', 'rejected']),
  fields: z.array(checkedFieldSchema),
  /**
   * `live`: the gateway runs exactly this text. `rejected`: the gateway has the text and can't run it. `changed`,
   * `new`: not deployed yet. `unknown`: the gateway doesn't answer.
   */
  deployed: z.enum(['live', 'rejected', 'changed', 'new', 'unknown']),
  /** The headers that callers must send. `value` is null for a secret, which the gateway's administrator knows. */
  caller_headers: z.array(
    z.object({ name: z.string(), value: z.string().nullable(), variable: z.string().nullable() }),
  ),
})
export type Router = z.infer<typeof routerSchema>

export const routersSchema = z.object({
  tag: z.string(),
  routers: z.array(routerSchema),
  /** Paths that the gateway runs and the text doesn't have. */
  removed: z.array(z.string()),
})
export type Routers = z.infer<typeof routersSchema>
