import { createJsonEngine, type JsonEngine } from '../json/json-scan.ts'
import type { WorkQueue } from '../work/work-queue.ts'
import { CUTTABLE_BYTES, CuttablePart, type RecordText } from './record-message.ts'

type Place = { readonly name: string; readonly start: number; readonly end: number }

/** The bytes scanned between two checks of the slice. */
const PIECE_BYTES = 64 * 1024
const SIDES: ReadonlySet<string> = new Set(['request', 'response'])
const ROOT: ReadonlySet<string> = new Set([...SIDES, 'cut'])
const CUT_KEY = ',"cut":'
/** The longest list of cut values that is read; a record of the gateway has few large values. */
const CUT_LIST_BYTES = 64 * 1024

/**
 * Finds the large values of a record that was read from disk, so that they can be cut as those of a new record. The
 * record isn't parsed: its scan works in slices and takes no copy.
 */
export class RecordSplitter {
  readonly #work: WorkQueue
  #engine: JsonEngine | undefined

  constructor(work: WorkQueue) {
    this.#work = work
  }

  /** Returns the record in parts; a record that has no large value in a side is one part. */
  async split(json: Buffer): Promise<Omit<RecordText, 'router'>> {
    const root = await this.#members(json, ROOT)
    const large: Place[] = []
    for (const { name, start: from, end } of root) {
      if (!SIDES.has(name)) continue
      const members = await this.#members(json.subarray(from, end))
      for (const member of members) {
        const place = { name: member.name, start: from + member.start, end: from + member.end }
        if (place.end - place.start >= CUTTABLE_BYTES) large.push(place)
      }
    }
    const list = root.find(({ name }) => name === 'cut')
    const cut = list === undefined ? undefined : namesOf(json, list)
    const end = list === undefined || cut === undefined ? json.length - 1 : list.start - CUT_KEY.length
    return { parts: partsOf(json.subarray(0, end), large), cut: cut ?? [] }
  }

  /** Returns the members of an object, by position; none where the text isn't JSON. */
  async #members(text: Buffer, names?: ReadonlySet<string>): Promise<readonly Place[]> {
    this.#engine ??= createJsonEngine()
    const slice = this.#work.begin('spool')
    const scan = this.#engine.begin(Number.POSITIVE_INFINITY, names)
    for (let at = 0; at < text.length; at += PIECE_BYTES) {
      scan.add(text.subarray(at, at + PIECE_BYTES))
      if (slice.isDue) await slice.next()
    }
    return scan.end().members.toSorted((one, other) => one.start - other.start)
  }
}

/** Returns the names in the list at a record's end; undefined where the record doesn't end as the gateway writes it. */
function namesOf(json: Buffer, { start, end }: Place): readonly string[] | undefined {
  const isLast = end === json.length - 1 && json.toString('latin1', start - CUT_KEY.length, start) === CUT_KEY
  if (!isLast || end - start > CUT_LIST_BYTES) return undefined
  const names: unknown = JSON.parse(json.toString('utf8', start, end))
  if (!Array.isArray(names)) return undefined
  const texts = names.filter((name) => typeof name === 'string')
  return texts.length === names.length ? texts : undefined
}

function partsOf(json: Buffer, large: readonly Place[]): RecordText['parts'] {
  const parts: (Buffer | CuttablePart)[] = []
  let from = 0
  for (const { name, start, end } of large) {
    parts.push(json.subarray(from, start), new CuttablePart(name, json.subarray(start, end)))
    from = end
  }
  return [...parts, json.subarray(from)]
}
