import { z } from 'zod'

/** The parts of an object's metadata that are read. The API server has written them. */
export const objectMetaSchema = z.object({
  name: z.string(),
  namespace: z.string().default(''),
  uid: z.string().default(''),
  resourceVersion: z.string().default(''),
  generation: z.number().default(0),
  /** RFC 3339, whole seconds. */
  creationTimestamp: z.string().default(''),
  deletionTimestamp: z.string().optional(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  ownerReferences: z.array(z.object({ uid: z.string(), controller: z.boolean().default(false) })).default([]),
})
export type ObjectMeta = z.infer<typeof objectMetaSchema>
