import { RepeatFilter } from '@llm-gateway/protocol'

/** The number of sequences remembered for each gateway process (docs/reference/kept-records.md#sinks). */
const WINDOW = 10_000
const WINDOW_BYTES = WINDOW / 8
/** The number of remembered processes; each restart of a gateway counts as one. */
const MOST_PROCESSES = 1_024
const OTHER_IDS = 10_000
const ID = /^([!-~]{1,128})-(\d{1,15})$/

type Window = { last: number; readonly bits: Uint8Array }

/** The stored form: each process's last sequence and the base64 of its window. */
export type SeenText = Readonly<Record<string, { readonly last: number; readonly bits: string }>>

/**
 * The ids of records that a target has: of each process, `<gateway_id>-<start>`, the last 10,000 sequences. Older
 * sequences count as unknown: a duplicate is better than a lost record.
 */
export class SeenRecords {
  /** Ordered by the last record; the newest process is last. */
  readonly #processes = new Map<string, Window>()
  /** Ids of another form, which aren't stored. */
  readonly #others = new RepeatFilter(OTHER_IDS)

  has(id: string): boolean {
    const [, process = '', sequence = ''] = ID.exec(id) ?? []
    const window = this.#processes.get(process)
    if (process === '') return this.#others.has(id)
    return window !== undefined && isSet(window, Number(sequence))
  }

  add(id: string): void {
    const [, process = '', sequence = ''] = ID.exec(id) ?? []
    if (process === '') {
      this.#others.add(id)
      return
    }
    const window = this.#processes.get(process) ?? { last: Number(sequence), bits: new Uint8Array(WINDOW_BYTES) }
    this.#processes.delete(process)
    this.#processes.set(process, window)
    set(window, Number(sequence))
    const [oldest] = this.#processes.keys()
    if (this.#processes.size > MOST_PROCESSES && oldest !== undefined) this.#processes.delete(oldest)
  }

  text(): SeenText {
    const entries = [...this.#processes].map(([process, { last, bits }]) => {
      return [process, { last, bits: Buffer.from(bits).toString('base64') }] as const
    })
    return Object.fromEntries(entries)
  }

  /** Restores the stored form and skips malformed entries. */
  restore(text: unknown): void {
    if (typeof text !== 'object' || text === null) return
    for (const [process, written] of Object.entries(text).slice(-MOST_PROCESSES)) {
      const window = windowOf(written)
      if (window !== undefined) this.#processes.set(process, window)
    }
  }
}

function windowOf(written: unknown): Window | undefined {
  if (typeof written !== 'object' || written === null || !('last' in written) || !('bits' in written)) return undefined
  const { last, bits } = written
  if (typeof last !== 'number' || !Number.isSafeInteger(last) || typeof bits !== 'string') return undefined
  const bytes = new Uint8Array(Buffer.from(bits, 'base64'))
  return bytes.length === WINDOW_BYTES ? { last, bits: bytes } : undefined
}

/**
 * Returns whether a sequence is in the window. Its bit is at `sequence % WINDOW`; newer sequences replace old
 * sequences.
 */
function isSet({ last, bits }: Window, sequence: number): boolean {
  if (sequence > last || sequence <= last - WINDOW) return false
  const place = sequence % WINDOW
  return ((bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0
}

function set(window: Window, sequence: number): void {
  const { last, bits } = window
  if (sequence <= last - WINDOW) return
  if (sequence > last) {
    if (sequence - last >= WINDOW) bits.fill(0)
    else for (let between = last + 1; between < sequence; between++) clear(bits, between % WINDOW)
    window.last = sequence
  }
  const place = sequence % WINDOW
  bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
}

function clear(bits: Uint8Array, place: number): void {
  bits[place >> 3] = (bits[place >> 3] ?? 0) & ~(1 << (place & 7))
}
