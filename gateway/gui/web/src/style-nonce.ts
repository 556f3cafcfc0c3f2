/** The nonce that this answer's policy allows styles by; read where the server put it. */
export function styleNonce(): string {
  const meta = document.querySelector('meta[property="csp-nonce"]')
  return meta instanceof HTMLMetaElement ? meta.nonce : ''
}
