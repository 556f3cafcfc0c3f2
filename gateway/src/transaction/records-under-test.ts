import type { RecordTicket } from '../bus/record-memory.ts'
import type { RecordText } from '../bus/record-message.ts'
import type { RecordPublisher } from '../bus/record-publisher.ts'
import type { RecordStatus } from '../bus/record-status.ts'

/** Takes the bytes of records as the bus's publisher does. */
export class RecordsUnderTest implements RecordPublisher {
  readonly connected = true
  readonly acknowledged = 0
  readonly queuedBytes = 0
  readonly spooledBytes = 0
  readonly oldestSpooledMs = undefined
  readonly isDiskHung = false
  readonly status: RecordStatus = {
    ...{ stream: 'off', acknowledged: 0, queued_bytes: 0, lost: {} },
    ...{ spool: 'off', spooled_records: 0, spooled_bytes: 0 },
  }
  readonly journals: boolean
  readonly published: Buffer[] = []
  readonly journalled: Buffer[] = []
  readonly #whileWriting: () => Promise<void> | void

  /** `whileWriting` is called while the journal writes a record, and its promise is the writing. */
  constructor(journals: boolean, whileWriting: () => Promise<void> | void = () => undefined) {
    this.journals = journals
    this.#whileWriting = whileWriting
  }

  publish(record: RecordText): void {
    this.published.push(bytesOf(record))
  }

  async journal(record: RecordText): Promise<RecordTicket> {
    this.journalled.push(bytesOf(record))
    await this.#whileWriting()
    return { sequence: '1', entry: undefined }
  }

  waitForRoom(): undefined {
    return undefined
  }

  drain(): Promise<void> {
    return Promise.resolve()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

function bytesOf({ parts }: RecordText): Buffer {
  return Buffer.from(`${parts.map(String).join('')}}`)
}
