import { getCACertificates, rootCertificates } from 'node:tls'

export type OutboundTls = {
  readonly systemCertPool: boolean
  readonly certificates: readonly string[]
}

/** The certificates https targets are trusted by (specification, TLS 3). `certificates`: PEM texts of cert_files. */
export function certificatePool(tls: OutboundTls): readonly string[] {
  return [...(tls.systemCertPool ? systemPool() : []), ...tls.certificates]
}

/** The machine's own pool and the one node brings, which is all there is in a small image. */
function systemPool(): readonly string[] {
  return [...new Set([...rootCertificates, ...getCACertificates('system'), ...getCACertificates('extra')])]
}
