import { z } from 'zod'
import { boolean } from './primitives.ts'

/**
 * TLS for callers; both files are ignored while `enabled` is false
 * (docs/reference/configuration-rules.md#tls-settings).
 */
export const ingressTlsSchema = z.object({
  enabled: boolean.default(false),
  certificate_file: z.string().default('./app/conf/cert.pem').describe('PEM; required when enabled'),
  private_key_file: z.string().default('./app/conf/key.pem').describe('PEM; required when enabled'),
})

export const outboundTlsSchema = z.object({
  insecure: boolean.default(false).describe('trusts any certificate; for development only'),
  system_cert_pool: boolean.default(true),
  cert_files: z.array(z.string().min(1)).default([]).describe('PEM files of authorities to trust as well'),
})
