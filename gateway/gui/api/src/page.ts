/**
 * The built page is `gateway/gui/web/dist`: `index.html`, written last, and files whose names hold their hash below `assets/`.
 * Wherever this text stands in index.html the server puts the nonce of the answer's styles.
 */
export const NONCE_PLACE = '__CSP_NONCE__'
