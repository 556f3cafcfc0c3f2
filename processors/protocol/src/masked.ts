/** What stands in a record, a processor message, a log line or a status where a secret was (wire, 3). */
export const MASKED = '[*****MASKED*****]'
