import { createSecureContext } from 'node:tls'
import { type GuiConfig, readSmallFile, type ValidationErrors } from '@llm-gateway/conf'
import type { Certificate } from './server.ts'

export type CertificateReading =
  /** `certificate` is undefined without TLS. */
  | { readonly kind: 'read'; readonly certificate: Certificate | undefined }
  | { readonly kind: 'unusable'; readonly validationErrors: ValidationErrors }

/** Reads the certificate of tls.ingress and its key, and judges whether a server can start with both. Never rejects. */
export async function readIngressCertificate(tls: GuiConfig['tls']['ingress']): Promise<CertificateReading> {
  if (!tls.enabled) return { kind: 'read', certificate: undefined }
  const [cert, key] = await Promise.all([textOf(tls.certificate_file), textOf(tls.private_key_file)])
  if (cert === undefined || !isUsable({ cert })) return unusable('certificate_file')
  if (key === undefined || !isUsable({ cert, key })) return unusable('private_key_file')
  return { kind: 'read', certificate: { cert, key } }
}

function unusable(setting: 'certificate_file' | 'private_key_file'): CertificateReading {
  return { kind: 'unusable', validationErrors: { [`gui_config.tls.ingress.${setting}`]: 'file:' } }
}

async function textOf(file: string): Promise<string | undefined> {
  return await readSmallFile(file).then(String, () => undefined)
}

function isUsable(parts: Partial<Certificate>): boolean {
  try {
    createSecureContext(parts)
    return true
  } catch {
    return false // The text is no certificate or no key, or the key belongs to another certificate.
  }
}
