import { z } from 'zod'
import { keyReferenceSchema } from './env-entry.ts'
import { atomicList, cel, quantity } from './primitives.ts'

const EXTERNAL = {
  rule: "self.type != 'External' || (has(self.servers) && self.servers.size() > 0 && has(self.tokenSecretRef))",
  message: 'type: External needs servers and tokenSecretRef',
  reason: 'FieldValueRequired' as const,
}
const MANAGED = {
  rule: "self.type == 'External' || !has(self.servers)",
  message: 'belongs to type: External',
  reason: 'FieldValueForbidden' as const,
  fieldPath: '.servers',
}

/** The NATS bus of a gateway. */
export const busSchema = z
  .object({
    type: z.enum(['Managed', 'External']).default('Managed').describe('Managed: the operator runs it.'),
    managed: z
      .object({
        auth: z.enum(['Token']).default('Token').describe('How clients prove themselves.'),
        storage: z
          .object({ emptyDir: quantity.default('1Gi').describe('Size; gone with the pod.') })
          .prefault({})
          .describe("Where processors' state is kept."),
      })
      .prefault({})
      .describe('Settings of a managed bus.'),
    servers: atomicList(
      z
        .string()
        .min(1)
        .max(261)
        .regex(/^[A-Za-z0-9_.-]+(:[0-9]{1,5})?$/),
      1,
    )
      .optional()
      .describe('host:port of an external bus.'),
    prefix: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/)
      .default('llm')
      .describe('What every subject begins with.'),
    tokenSecretRef: keyReferenceSchema.optional().describe('The token of the bus; left out: generated once.'),
  })
  .meta(cel(EXTERNAL, MANAGED))
