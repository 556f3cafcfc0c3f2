import type { JournalEntry } from '../spool/journal.ts'
import type { RecordMessage } from './record-message.ts'

/** The memory that a record's message uses. */
export type RecordMemory = {
  /** True where the record's call found room for the record before it began. */
  readonly foundRoom: boolean
  /** True where the next process finds the record in the journal. */
  isJournalled?(): boolean
  /** The record is made: from now on its message holds this memory instead of the call. */
  takeOver(message: RecordMessage): void
  /** A connection broke while it was sending the record, and may still read the bytes. */
  interrupt(): void
  /** The bus has the record, or the record is lost. */
  release(): void
}

/** A journalled record: the sequence number of its message id, and its entry in the journal. */
export type RecordTicket = {
  readonly sequence: string
  /** undefined where the record couldn't be written. */
  readonly entry: JournalEntry | undefined
}

/** Wraps a record's memory so that its journal entry is settled when the memory is released. */
export function settleOnRelease(memory: RecordMemory | undefined, entry: JournalEntry): RecordMemory {
  return {
    foundRoom: memory?.foundRoom ?? true,
    isJournalled: () => entry.isKept(),
    takeOver: (message) => memory?.takeOver(message),
    interrupt: () => memory?.interrupt(),
    release: () => {
      memory?.release()
      entry.settle()
    },
  }
}
