/** The server's mask for a secret. Saved in the same place it keeps the secret. */
export const MASKED = '[*****MASKED*****]'
