/** What the server shows in place of a secret; saved at the place where it stood, it means the secret itself. */
export const MASKED = '[*****MASKED*****]'
