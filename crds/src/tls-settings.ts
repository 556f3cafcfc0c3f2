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
      insecure: z.boolean().default(false).describe('true: every certificate is trusted; for development only.'),
      systemCertPool: z.boolean().default(true).describe('true: the authorities in the image are trusted.'),
      caRefs: atomicList(authoritySchema, 16)
        .optional()
        .describe(
          'PEM certificates of further authorities that are trusted; at most 512 KiB and 400 certificates together.',
        ),
    })
    .prefault({})
    .describe('Certificate authorities that the gateway and its sinks trust.'),
})
export type TlsSettings = z.infer<typeof tlsSettingsSchema>
