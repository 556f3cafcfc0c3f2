import { z } from 'zod'
import { boolean } from './primitives.ts'

export const ingressTlsSchema = z.object({
  enabled: boolean.default(false),
  certificate_file: z.string().default('./app/conf/cert.pem'),
  private_key_file: z.string().default('./app/conf/key.pem'),
})

export const outboundTlsSchema = z.object({
  insecure: boolean.default(false),
  system_cert_pool: boolean.default(true),
  cert_files: z.array(z.string()).default([]),
})

export const tlsSchema = z.object({ ingress: ingressTlsSchema.prefault({}), outbound: outboundTlsSchema.prefault({}) })
