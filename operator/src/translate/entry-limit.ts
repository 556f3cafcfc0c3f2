/**
 * What a Router may come to, as it is written and with its values put in: they are some hundred characters each. Beyond it
 * nothing is resolved or checked, so that nobody fills the file, or the operator, with a few Routers of his.
 */
export const MOST_ENTRY_CHARACTERS = 16 * 1024
