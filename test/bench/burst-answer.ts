/** Streams that begin and end together: how many, and what each of them is. */
export const BURST = { streams: 16, events: 100, everyMs: 10 } as const
export const BURST_PATH_MARK = '/burst/'

const EVENT_BYTES = 300
const DIGITS = 16
const MARK = '"system_fingerprint":"'
const MARK_BYTES = Buffer.from(MARK)
const EMPTY = event('0'.repeat(DIGITS), '')
const PADDING = 'lorem ipsum '.repeat(EVENT_BYTES).slice(0, EVENT_BYTES - EMPTY.length)

/** A chat chunk of 300 bytes that says when it was written. */
export function burstEvent(nowUs = clockUs()): string {
  return event(String(nowUs).padStart(DIGITS, '0'), PADDING)
}

/** Microseconds that the events in these bytes have travelled; one that lies in two reads isn't seen. */
export function travelledUs(bytes: Buffer, nowUs = clockUs()): readonly number[] {
  const found: number[] = []
  for (let at = bytes.indexOf(MARK_BYTES); at >= 0; at = bytes.indexOf(MARK_BYTES, at + 1)) {
    const digits = bytes.toString('latin1', at + MARK.length, at + MARK.length + DIGITS)
    if (/^\d{16}$/.test(digits)) found.push(nowUs - Number(digits))
  }
  return found
}

/** The machine's monotonic clock, the same one in every process. */
function clockUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

function event(writtenAt: string, content: string): string {
  const choices = `[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]`
  return `data: {"object":"chat.completion.chunk","id":"c","created":1,"model":"gpt-4",${MARK}${writtenAt}","choices":${choices}}\n\n`
}
