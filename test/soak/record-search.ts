import type { StoredRecord } from '../fake/record-stream.ts'
import type { TallyReport } from '../watchdog/side-processes.ts'

/** The characters shown of a record's beginning and of its end, its times. */
const SHOWN = 400
const MOST_SHOWN = 20
const NEIGHBOUR = '"gl_path":"/neighbour/"'

/** Looks in the records of a stream for the calls of a tag, and for traces of those that have no record. */
export class RecordSearch {
  readonly #name: RegExp
  readonly #lacking: ReadonlySet<string>
  readonly #serials = new Set<string>()
  /** The numbers at the end of all message ids. */
  readonly #numbers = new Set<number>()
  readonly #found: string[] = []
  readonly #unnamed: string[] = []

  constructor(tag: string, { missing }: TallyReport) {
    this.#name = new RegExp(`"user":"${tag}-(\\d{9})"`)
    this.#lacking = new Set(missing.map(({ serial }) => String(serial).padStart(9, '0')))
  }

  /** The number of the tag's calls that have a record. */
  get serials(): number {
    return this.#serials.size
  }

  look({ sequence, messageId = '', text }: StoredRecord): void {
    const [, number = ''] = /(\d+)$/.exec(messageId) ?? []
    this.#numbers.add(Number(number))
    const [, serial] = this.#name.exec(text) ?? []
    const shown = `${sequence} ${messageId} ${text.slice(0, SHOWN)}… …${text.slice(-SHOWN)}`
    if (serial !== undefined) this.#serials.add(serial)
    if (serial !== undefined && this.#lacking.has(serial)) this.#found.push(shown)
    if (text.includes(NEIGHBOUR) && !text.includes('"user":"')) this.#unnamed.push(shown)
  }

  /**
   * `found`: records that only the reader lacks. `unnamed`: records of the neighbour's router without a name in their
   * payload. `serials` and `numbers`: the gaps, of message ids that were given and have no record in the stream.
   */
  get result(): object {
    return {
      found: this.#found.slice(0, MOST_SHOWN),
      unnamed: this.#unnamed.slice(0, MOST_SHOWN),
      serialGaps: gaps([...this.#serials].map(Number)),
      numberGaps: gaps([...this.#numbers]),
    }
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
