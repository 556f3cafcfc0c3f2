import type { JournalEntry } from '../spool/journal.ts'
import type { RecordMessage } from './record-message.ts'

/** Memory that a record lies in. */
export type RecordMemory = {
  /** The record is made and holds what stands in its message from now on, whatever the call held before. */
  keeps(message: RecordMessage): void
  /** A connection broke while it read the record: it may not be done with the bytes. */
  interrupted(): void
  /** The bus has the record, or it is lost. */
  letGo(): void
}

/** Memory whose record is in the journal until it lets go. */
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
