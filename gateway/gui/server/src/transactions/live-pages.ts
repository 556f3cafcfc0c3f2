import type { Transaction, TransactionFilter } from '@llm-gateway/gui-api'
import { pauses } from './pauses.ts'
import type { NamedRecord } from './record-file.ts'
import type { RecordSource } from './record-source.ts'
import { isWantedRow, searchedText, transactionRow } from './transaction-row.ts'

/** A page that shows transactions as they end. */
export type LivePage = {
  readonly filter: TransactionFilter
  /** Takes the row of a record that the filter lets through. */
  readonly show: (row: Transaction) => void
  /** Counts a record that came too fast to be read. */
  readonly skip: () => void
}

/** Bounds of the records that wait to be read. */
const MOST_WAITING = 10_000
const MOST_WAITING_BYTES = 32 * 1024 * 1024

/**
 * Reads each new record once for all pages, and searches it for one page after another. Other work runs between: the
 * search of a large record for the text of a page takes some milliseconds.
 */
export class LivePages {
  readonly #source: Pick<RecordSource, 'listen'>
  readonly #pages = new Set<LivePage>()
  readonly #waiting: NamedRecord[] = []
  #waitingBytes = 0
  #isReading = false
  #stop: (() => void) | undefined

  constructor(source: Pick<RecordSource, 'listen'>) {
    this.#source = source
  }

  /** Shows new records on a page until the returned function is called. */
  add(page: LivePage): () => void {
    this.#pages.add(page)
    this.#stop ??= this.#source.listen((record) => this.#receive(record))
    return () => {
      this.#pages.delete(page)
      if (this.#pages.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  #receive(record: NamedRecord): void {
    const isFull = this.#waiting.length >= MOST_WAITING || this.#waitingBytes + record.bytes.length > MOST_WAITING_BYTES
    if (isFull && this.#waiting.length > 0) {
      for (const page of this.#pages) page.skip()
      return
    }
    this.#waiting.push(record)
    this.#waitingBytes += record.bytes.length
    if (this.#isReading) return
    this.#isReading = true
    void this.#readWaiting() // never rejects
  }

  async #readWaiting(): Promise<void> {
    const pause = pauses()
    for (let record = this.#waiting[0]; record !== undefined; record = this.#waiting[0]) {
      const { id, bytes } = record
      const row = transactionRow(id, bytes)
      const text = searchedText(bytes)
      await pause()
      for (const page of this.#pages) {
        if (isWantedRow(page.filter, row, text)) page.show(row)
        await pause()
      }
      this.#waiting.shift()
      this.#waitingBytes -= bytes.length
    }
    this.#isReading = false
  }
}
