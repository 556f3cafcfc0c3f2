import { z } from 'zod'
import { atomicList, cel, setList, text, textMap } from './primitives.ts'

const labelText = z.string().max(63)

const labelSelectorSchema = z.object({
  matchLabels: textMap({ entries: 16, characters: 63 }).optional().describe('Labels with their values.'),
  matchExpressions: atomicList(
    z.object({
      key: text(317).describe('Key of a label.'),
      operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('Comparison of the label with values.'),
      values: atomicList(labelText, 16).optional().describe('Values for In and NotIn.'),
    }),
    16,
  )
    .optional()
    .describe('Further conditions on labels; all must hold.'),
})
export type LabelSelector = z.infer<typeof labelSelectorSchema>

/** A selection of namespaces. By default it is the resource's own. */
export const namespacesSchema = z
  .object({
    from: z
      .enum(['Same', 'All', 'Selector'])
      .default('Same')
      .describe(
        'Same: the namespace of this resource; Selector: namespaces that the selector chooses; All: every namespace.',
      ),
    selector: labelSelectorSchema.optional().describe('Labels of the namespaces, if from is Selector.'),
  })
  .meta(
    cel({
      rule: "has(self.selector) == (self.from == 'Selector')",
      message: 'selector and from: Selector must go together',
    }),
  )
export type Namespaces = z.infer<typeof namespacesSchema>

/**
 * A host. `*.` may only be the first label; without `:port` the port is 443; with `http://` a key may go without TLS.
 */
export const hostSchema = z
  .string()
  .min(1)
  .max(261)
  .regex(/^(http:\/\/)?(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?$/)

/** The Routers that a gateway accepts (docs/reference/kubernetes.md#paths). */
export const allowedRoutersSchema = z.object({
  namespaces: namespacesSchema.prefault({}).describe('Namespaces whose Routers are admitted.'),
  paths: z
    .enum(['NamespacePrefix', 'Any'])
    .default('NamespacePrefix')
    .describe(
      'NamespacePrefix: paths of Routers of other namespaces begin with /<namespace>/; Any: they may have any path.',
    ),
  hosts: setList(hostSchema, 64)
    .optional()
    .describe('Hosts that Routers may call, in lower case; *. may be the first label; left out: every host.'),
})
