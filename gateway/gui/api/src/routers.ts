import { z } from 'zod'
import { checkedFieldSchema } from './check.ts'

const headerSchema = z.object({
  name: z.string(),
  /** As written; literals of secrets masked. */
  values: z.array(z.string()),
})

/** A router of the draft (or of the live file where there is no draft), with how it fares. */
const routerSchema = z.object({
  /** Index in `routers` of gl_config.json; null: it is built in. */
  index: z.number().nullable(),
  path: z.string(),
  disabled: z.boolean(),
  internal: z.boolean(),
  url: z.string(),
  endpoint: z.string(),
  ingress_headers: z.array(headerSchema),
  outbound_headers: z.array(headerSchema),
  variables: z.array(z.object({ name: z.string(), state: z.enum(['set', 'generated', 'unset']) })),
  /** What the check says of the text. */
  state: z.enum(['active', 'internal', 'disabled', 'rejected']),
  fields: z.array(checkedFieldSchema),
  /**
   * `live`: the gateway runs exactly this. `rejected`: the gateway has it and can't run it. `changed`, `new`: it is still to be
   * deployed. `unknown`: the gateway doesn't answer.
   */
  deployed: z.enum(['live', 'rejected', 'changed', 'new', 'unknown']),
  /** What a caller has to send: a header and, where it is no secret, its value; null: ask whoever runs the gateway. */
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
