import { getCACertificates, rootCertificates } from 'node:tls'

export type OutboundTls = {
  readonly systemCertPool: boolean
  readonly certificates: readonly string[]
}

/**
 * The authorities that https targets are trusted by (docs/reference/configuration-rules.md#tls-settings).
 * `certificates`: PEM texts of cert_files.
 */
export function certificatePool(tls: OutboundTls): readonly string[] {
  return [...(tls.systemCertPool ? systemPool() : []), ...tls.certificates]
}

/** The machine's own pool and the one node brings, which is all there is in a small image. */
function systemPool(): readonly string[] {
  return [...new Set([...rootCertificates, ...getCACertificates('system'), ...getCACertificates('extra')])]
}
