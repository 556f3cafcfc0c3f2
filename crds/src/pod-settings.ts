import { z } from 'zod'
import { atomicList, cel, mapList, quantity, SHORT_KEYS, subdomain, text, textMap } from './primitives.ts'

/** The largest round number that JavaScript holds exactly. Larger quantities need a unit. */
const MAX_QUANTITY = 1_000_000_000_000_000

/** Numbers are allowed since people write `cpu: 2` as well as `cpu: 500m`. */
const quantities = z
  .record(z.string(), z.union([z.int().min(0).max(MAX_QUANTITY), quantity]))
  .meta({ maxProperties: 16, ...cel(SHORT_KEYS) })

const tolerationSchema = z.object({
  key: text(317).optional().describe('Key of the taint.'),
  operator: z.enum(['Exists', 'Equal']).optional().describe('Comparison of key and value; left out: Equal.'),
  value: text(63).optional().describe('Value of the taint.'),
  effect: z
    .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
    .optional()
    .describe('Effect of the taint; left out: every effect.'),
  tolerationSeconds: z
    .int()
    .min(0)
    .max(2147483647)
    .optional()
    .describe('Seconds until the pod ends, if the effect is NoExecute.'),
})

export const resourcesSchema = z
  .object({
    requests: quantities.optional().describe('Least quantity of each resource, such as cpu 500m and memory 1Gi.'),
    limits: quantities.optional().describe('Greatest quantity of each resource, such as cpu 2 and memory 1Gi.'),
  })
  .describe('Requests and limits of the container.')

/** The pod settings that people may set. There is no free pod template. */
export const podSettingsSchema = z.object({
  resources: resourcesSchema.optional(),
  nodeSelector: textMap({ entries: 16, characters: 63 })
    .optional()
    .describe('Labels of the nodes on which pods may run.'),
  tolerations: atomicList(tolerationSchema, 16).optional().describe('Taints that pods tolerate.'),
  imagePullSecrets: mapList(z.object({ name: subdomain.describe('Name of the Secret.') }), 'name', 8)
    .optional()
    .describe('Secrets for the registry.'),
  priorityClassName: z
    .string()
    .max(253)
    .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/)
    .optional()
    .describe('Name of a PriorityClass; empty: none.'),
})
export type PodSettings = z.infer<typeof podSettingsSchema>

export const serviceSettingsSchema = z.object({
  type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).default('ClusterIP').describe('Type of the Service.'),
  annotations: textMap({ entries: 32, characters: 1024 }).optional().describe('Annotations of the Service.'),
})
