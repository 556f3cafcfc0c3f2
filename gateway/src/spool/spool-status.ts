/** The reason why a spool takes no records: an error code of the system or one of our own. */
export type SpoolCode = string

/** The spool's members of `records` in `/status` (docs/reference/kept-records.md#status). */
export type SpoolStatus = {
  readonly spool: 'opening' | 'on' | 'off'
  readonly spool_code?: SpoolCode
  readonly spooled_records: number
  readonly spooled_bytes: number
  /** Left out where there is no journal. */
  readonly journal_bytes?: number
  /** RFC 3339 */
  readonly oldest_spooled?: string
}

type Parts = {
  readonly state: SpoolStatus['spool']
  readonly code: SpoolCode | undefined
  readonly records: number
  readonly bytes: number
  readonly journalBytes: number
  readonly oldestMs: number | undefined
}

export function spoolStatus({ state, code, records, bytes, journalBytes, oldestMs }: Parts): SpoolStatus {
  return {
    spool: state,
    ...(code === undefined ? {} : { spool_code: code }),
    spooled_records: records,
    spooled_bytes: bytes,
    ...(journalBytes === 0 ? {} : { journal_bytes: journalBytes }),
    ...(oldestMs === undefined ? {} : { oldest_spooled: new Date(oldestMs).toISOString() }),
  }
}
