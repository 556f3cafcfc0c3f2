/** Streams that begin and end together: their number, their events and the interval. */
export const BURST = { streams: 16, events: 100, everyMs: 10 } as const
export const BURST_PATH_MARK = '/burst/'

const EVENT_BYTES = 300
const DIGITS = 16
const MARK = '"system_fingerprint":"'
const MARK_BYTES = Buffer.from(MARK)
const EMPTY = event('0'.repeat(DIGITS), '')
const PADDING = 'lorem ipsum '.repeat(EVENT_BYTES).slice(0, EVENT_BYTES - EMPTY.length)

/** Returns a chat chunk of 300 bytes with the time of writing. */
export function burstEvent(nowUs = clockUs()): string {
  return event(String(nowUs).padStart(DIGITS, '0'), PADDING)
}

/** Returns the travel times of the events in these bytes, in microseconds. An event split over two reads is skipped. */
export function travelledUs(bytes: Buffer, nowUs = clockUs()): readonly number[] {
  const found: number[] = []
  for (let at = bytes.indexOf(MARK_BYTES); at >= 0; at = bytes.indexOf(MARK_BYTES, at + 1)) {
    const digits = bytes.toString('latin1', at + MARK.length, at + MARK.length + DIGITS)
    if (/^\d{16}$/.test(digits)) found.push(nowUs - Number(digits))
  }
  return found
}

/** Reads the machine's monotonic clock, which all processes share. */
function clockUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

function event(writtenAt: string, content: string): string {
  const choices = `[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]`
  return `data: {"object":"chat.completion.chunk","id":"c","created":1,"model":"gpt-4",${MARK}${writtenAt}","choices":${choices}}\n\n`
}
