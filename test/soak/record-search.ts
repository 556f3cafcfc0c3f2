import type { StoredRecord } from '../fake/record-stream.ts'
import type { TallyReport } from '../watchdog/side-processes.ts'

/** The characters shown of a record's beginning and of its end, its times. */
const SHOWN = 400
const MOST_SHOWN = 20
const NEIGHBOUR = '"gl_path":"/neighbour/"'

/** Looks in the records of a stream for the calls of a tag, and for traces of those that have no record. */
export class RecordSearch {
  readonly #name: RegExp
  /** The serials below the reader's largest that it lacks, and the first above it. */
  readonly #lacking: ReadonlySet<number>
  readonly #above: number
  readonly #serials = new Set<number>()
  /** The numbers at the end of all message ids. */
  readonly #numbers = new Set<number>()
  readonly #found: string[] = []
  readonly #unnamed: string[] = []

  constructor(tag: string, { missing }: TallyReport) {
    this.#name = new RegExp(`"user":"${tag}-(\\d{9})"`)
    this.#lacking = new Set(missing.map(({ serial }) => serial))
    this.#above = Math.max(0, ...this.#lacking)
  }

  /**
   * The number of the tag's calls whose record the stream holds and the reader lacks. A full stream has dropped records
   * that the reader got, so that the number of all records in the stream says nothing.
   */
  get unread(): number {
    return [...this.#serials].filter((serial) => this.#lacks(serial)).length
  }

  look({ sequence, messageId = '', text }: StoredRecord): void {
    const [, number = ''] = /(\d+)$/.exec(messageId) ?? []
    this.#numbers.add(Number(number))
    const [, digits] = this.#name.exec(text) ?? []
    const shown = `${sequence} ${messageId} ${text.slice(0, SHOWN)}… …${text.slice(-SHOWN)}`
    if (digits !== undefined) this.#serials.add(Number(digits))
    if (digits !== undefined && this.#lacks(Number(digits))) this.#found.push(shown)
    if (text.includes(NEIGHBOUR) && !text.includes('"user":"')) this.#unnamed.push(shown)
  }

  /**
   * `found`: records that only the reader lacks. `unnamed`: records of the neighbour's router without a name in their
   * payload. `serialGaps` and `numberGaps`: the gaps, the latter of message ids that were given and have no record in the stream.
   */
  get result(): object {
    return {
      found: this.#found.slice(0, MOST_SHOWN),
      unnamed: this.#unnamed.slice(0, MOST_SHOWN),
      serialGaps: gaps([...this.#serials]),
      numberGaps: gaps([...this.#numbers]),
    }
  }

  #lacks(serial: number): boolean {
    return this.#lacking.has(serial) || serial >= this.#above
  }
}

/** Returns the runs of numbers that are missing between the smallest and the largest, as `first-last`, and the largest. */
function gaps(numbers: readonly number[]): readonly string[] {
  const sorted = numbers.toSorted((a, b) => a - b)
  const runs: string[] = []
  for (const [index, number] of sorted.entries()) {
    const before = sorted[index - 1]
    if (before !== undefined && number > before + 1) runs.push(`${before + 1}-${number - 1}`)
  }
  return [...runs.slice(0, MOST_SHOWN), `to ${sorted.at(-1)}`]
}
