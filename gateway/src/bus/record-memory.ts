import type { JournalEntry } from '../spool/journal.ts'
import type { RecordMessage } from './record-message.ts'

/** The memory that a record's message uses. */
export type RecordMemory = {
  /** The record is made: from now on its message holds this memory instead of the call. */
  keeps(message: RecordMessage): void
  /** A connection broke while it read the record, so that it may still use the bytes. */
  interrupted(): void
  /** The bus has the record, or the record is lost. */
  letGo(): void
}

/** Wraps a record's memory so that its journal entry is settled when the memory is released. */
export function settling(memory: RecordMemory | undefined, entry: JournalEntry): RecordMemory {
  return {
    keeps: (message) => memory?.keeps(message),
    interrupted: () => memory?.interrupted(),
    letGo: () => {
      memory?.letGo()
      entry.settle()
    },
  }
}
