import { z } from 'zod'
import { boolean } from './primitives.ts'

/** The most files of certificate authorities, each of 1 MiB: the gateway reads them every second. */
const MAX_CERT_FILES = 64

/**
 * TLS for callers; both files are ignored while `enabled` is false
 * (docs/reference/configuration-rules.md#tls-settings).
 */
export const ingressTlsSchema = z.object({
  enabled: boolean.default(false).describe('`true`: the port serves HTTPS instead of HTTP.'),
  certificate_file: z
    .string()
    .default('./app/conf/cert.pem')
    .describe('PEM file of the certificate. Required if TLS is enabled, otherwise not read.'),
  private_key_file: z
    .string()
    .default('./app/conf/key.pem')
    .describe('PEM file of the key. Required if TLS is enabled, otherwise not read.'),
})

export const outboundTlsSchema = z.object({
  insecure: boolean.default(false).describe('`true`: every certificate is trusted. For development only.'),
  system_cert_pool: boolean.default(true).describe('`true`: the certificate authorities of the machine are trusted.'),
  cert_files: z
    .array(z.string().min(1))
    .max(MAX_CERT_FILES)
    .default([])
    .describe('At most 64 PEM files of further certificate authorities that are trusted.'),
})
