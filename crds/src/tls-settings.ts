import { z } from 'zod'
import { keyReferenceFields } from './env-entry.ts'
import { atomicList, subdomain } from './primitives.ts'

const authoritySchema = z.object({
  kind: z.enum(['ConfigMap', 'Secret']).default('ConfigMap').describe('Kind of the object.'),
  ...keyReferenceFields,
})

export const certificateReferenceSchema = z
  .object({ name: subdomain.describe('Name of a Secret of type kubernetes.io/tls in the same namespace.') })
  .describe('Certificate and key.')

/** TLS towards callers and towards LLM APIs. */
export const tlsSettingsSchema = z.object({
  ingress: z
    .object({ secretRef: certificateReferenceSchema })
    .optional()
    .describe('Certificate of the gateway; left out: callers speak plain HTTP.'),
  outbound: z
    .object({
      insecure: z.boolean().default(false).describe('Trusts any certificate; for development only.'),
      systemCertPool: z.boolean().default(true).describe('Trusts the authorities that the image knows.'),
      caRefs: atomicList(authoritySchema, 16).optional().describe('PEM certificates of authorities to trust as well.'),
    })
    .prefault({})
    .describe('Certificate authorities that the gateway and its sinks trust.'),
})
export type TlsSettings = z.infer<typeof tlsSettingsSchema>
