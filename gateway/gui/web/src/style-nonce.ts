/** Returns the nonce with which this page's policy allows styles, from the place where the server put it. */
export function styleNonce(): string {
  const meta = document.querySelector('meta[property="csp-nonce"]')
  return meta instanceof HTMLMetaElement ? meta.nonce : ''
}
