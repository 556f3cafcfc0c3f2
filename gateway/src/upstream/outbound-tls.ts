import { getCACertificates, rootCertificates } from 'node:tls'

export type OutboundTls = {
  readonly insecure: boolean
  readonly systemCertPool: boolean
  readonly certificates: readonly string[]
}

/**
 * The certificate pool for https targets (specification, TLS 3): node's default unless files are added or the system's
 * is switched off. `certificates`: PEM texts of cert_files.
 */
export function certificatePool(tls: OutboundTls): readonly string[] | undefined {
  if (tls.systemCertPool && tls.certificates.length === 0) return systemPool()
  return [...(tls.systemCertPool ? systemPool() : []), ...tls.certificates]
}

/** The machine's own pool and the one node brings, which is all there is in a small image. */
function systemPool(): readonly string[] {
  return [...new Set([...rootCertificates, ...getCACertificates('system'), ...getCACertificates('extra')])]
}
