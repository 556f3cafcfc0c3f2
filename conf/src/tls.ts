import { z } from 'zod'
import { boolean } from './primitives.ts'

/**
 * TLS for callers; both files are ignored while `enabled` is false
 * (docs/reference/configuration-rules.md#tls-settings).
 */
export const ingressTlsSchema = z.object({
  enabled: boolean.default(false).describe('Serve HTTPS instead of HTTP.'),
  certificate_file: z
    .string()
    .default('./app/conf/cert.pem')
    .describe('PEM file of the certificate. Required where TLS is enabled, else ignored.'),
  private_key_file: z
    .string()
    .default('./app/conf/key.pem')
    .describe('PEM file of the key. Required where TLS is enabled, else ignored.'),
})

export const outboundTlsSchema = z.object({
  insecure: boolean.default(false).describe('Trust any certificate. For development only.'),
  system_cert_pool: boolean.default(true).describe('Trust the certificate authorities of the machine.'),
  cert_files: z.array(z.string().min(1)).default([]).describe('PEM files of further authorities to trust.'),
})
