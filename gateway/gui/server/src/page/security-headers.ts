export type HeaderOptions = {
  readonly tls: boolean
  /** The nonce for this answer's styles; undefined if it has none. */
  readonly nonce?: string
}

/** Returns the security headers of every answer: no foreign code, no framing, no type sniffing and no caching. */
export function securityHeaders({ tls, nonce }: HeaderOptions): Readonly<Record<string, string>> {
  const styles = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cache-control': 'no-store',
    ...(tls ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}
