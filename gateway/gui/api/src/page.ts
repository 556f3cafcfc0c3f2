/**
 * The placeholder in index.html that the server replaces by the nonce of the answer's styles. The built page is
 * `gateway/gui/web/dist`: `index.html`, written last, and files below `assets/` with their hash in the name.
 */
export const NONCE_PLACE = '__CSP_NONCE__'
