import { z } from 'zod'
import { cel, subdomain, text, variableName } from './primitives.ts'

const ONE_SOURCE = {
  rule: 'has(self.value) != has(self.valueFrom)',
  message: 'must have exactly one of value and valueFrom',
}
const ONE_REFERENCE = {
  rule: 'has(self.secretKeyRef) != has(self.configMapKeyRef)',
  message: 'must have exactly one of secretKeyRef and configMapKeyRef',
}

/**
 * The gateway's own variables and the operator's names of values, which no resource may set
 * (docs/reference/kubernetes.md#variables).
 */
export const RESERVED_NAMES = {
  rule: "self.all(e, !(e.name in ['NATS_TOKEN', 'GUI_SECRET', 'SECRETS_DIR']) && !e.name.startsWith('V_'))",
  message: 'NATS_TOKEN, GUI_SECRET, SECRETS_DIR and V_… are reserved',
  reason: 'FieldValueForbidden' as const,
}

export const keyReferenceFields = {
  name: subdomain.describe('Name of the object, in the namespace of this resource.'),
  key: z
    .string()
    .min(1)
    .max(253)
    .regex(/^[-._a-zA-Z0-9]+$/)
    .describe('Key below data.'),
}

/** One key of a Secret or ConfigMap in the resource's namespace. */
export const keyReferenceSchema = z.object(keyReferenceFields)
export type KeyReference = z.infer<typeof keyReferenceSchema>

const valueSourceSchema = z
  .object({
    secretKeyRef: keyReferenceSchema.optional().describe('A key of a Secret.'),
    configMapKeyRef: keyReferenceSchema.optional().describe('A key of a ConfigMap.'),
  })
  .meta(cel(ONE_REFERENCE))

export const envFields = {
  name: variableName.describe('Name by which ${NAME} refers to the value.'),
  value: text(4096).optional().describe('The value itself; not for secrets.'),
  valueFrom: valueSourceSchema.optional().describe('Source of the value.'),
}

/** A variable with its value or the key that holds it. */
export const envEntrySchema = z.object(envFields).meta(cel(ONE_SOURCE))
export type EnvEntry = z.infer<typeof envEntrySchema>

export const ENV_RULES = cel(ONE_SOURCE)
