/**
 * The text that replaces a secret in records, messages to processors, log lines and statuses
 * (docs/reference/record.md#masks).
 */
export const MASKED = '[*****MASKED*****]'
