/** The server's mask for a secret. A mask that is saved in the same place keeps the secret. */
export const MASKED = '[*****MASKED*****]'
