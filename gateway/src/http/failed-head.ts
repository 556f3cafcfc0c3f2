import type { BodyFailure } from './read-body.ts'

/** The time in milliseconds in which a head arrives that was late while the gateway read nothing. */
const UNREAD_HEAD_MS = 1_000

/** A head that came too late, or was malformed, while an earlier answer was unfinished. */
export class FailedHead {
  /** True where node's parser keeps the head. */
  readonly isKept: boolean
  /** True for a late head whose rest may lie unread, since the gateway had paused its connection. */
  readonly isUnread: boolean
  /** Answers the head. */
  readonly refuse: () => void

  constructor(ending: BodyFailure, isPaused: boolean, refuse: () => void) {
    this.isKept = ending.kind === 'refused'
    this.isUnread = isPaused && ending.kind === 'refused' && ending.code === 'REQUEST_TIMEOUT'
    this.refuse = refuse
  }

  /**
   * Refuses an unread head after some time, if it still `fails` then. The time doesn't depend on further pauses: callers
   * who send many small pieces cause them again and again, and the head would have no limit.
   */
  refuseUnread(fails: () => boolean): void {
    setTimeout(() => fails() && this.refuse(), UNREAD_HEAD_MS).unref()
  }
}
