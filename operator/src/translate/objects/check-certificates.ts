import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { LlmGateway } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { type KeySource, readKey, sourceName } from '../variables/read-key.ts'
import { authorityKeys } from './tls.ts'

export type BadCertificate = { readonly reason: 'InvalidCertificate'; readonly detail: string }

/**
 * Finds certificates with which no pod could start: unreadable certificates, and certificates with another
 * certificate's key.
 */
export function badCertificate(keys: readonly KeySource[], sources: Snapshot['sources']): readonly BadCertificate[] {
  const [at] = keys
  const [certificate, key] = keys.map((source) => textOf(source, sources))
  if (at === undefined || certificate === undefined || key === undefined) return []
  const detail = ingressFault(certificate, key)
  return detail === undefined ? [] : [bad(`${at.field}: ${sourceName(at)}: ${detail}`)]
}

export function badAuthorities(gateway: LlmGateway, sources: Snapshot['sources']): readonly BadCertificate[] {
  return authorityKeys(gateway).flatMap((authority) => {
    if (textOf(authority, sources) === undefined || isAuthority(authority, sources)) return []
    return [bad(`${authority.field}: ${sourceName(authority)}: ${authority.reference.key} holds no PEM certificate`)]
  })
}

/** Returns whether a reference gives readable PEM certificates. */
export function isAuthority(key: KeySource, sources: Snapshot['sources']): boolean {
  const text = textOf(key, sources)
  return text !== undefined && certificatesOf(text) !== undefined
}

function ingressFault(certificate: string, key: string): string | undefined {
  const first = certificatesOf(certificate)?.[0]
  if (first === undefined) return 'tls.crt holds no PEM certificate'
  const privateKey = privateKeyOf(key)
  if (privateKey === undefined) return 'tls.key holds no private key'
  return first.checkPrivateKey(privateKey) ? undefined : 'tls.key does not belong to tls.crt'
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Returns undefined where the text has no certificate, or one that can't be read. */
function certificatesOf(text: string): readonly X509Certificate[] | undefined {
  try {
    const certificates = [...text.matchAll(BLOCK)].map(([block]) => new X509Certificate(block))
    return certificates.length === 0 ? undefined : certificates
  } catch {
    return undefined
  }
}

function privateKeyOf(text: string): ReturnType<typeof createPrivateKey> | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    return undefined
  }
}

function textOf(key: KeySource, sources: Snapshot['sources']): string | undefined {
  const reading = readKey(key, sources)
  return reading.kind === 'value' ? reading.text : undefined
}

function bad(detail: string): BadCertificate {
  return { reason: 'InvalidCertificate', detail }
}
