const NATS_LINE = /^\[\d+\] \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d+)? \[([A-Z]{3})\] (.*)$/
const NATS_LEVELS: Readonly<Record<string, string>> = {
  DBG: 'DEBUG',
  TRC: 'DEBUG',
  INF: 'INFO',
  WRN: 'WARN',
  ERR: 'ERROR',
  FTL: 'ERROR',
}

export type OutputLine = { readonly service: string; readonly stream: 'stdout' | 'stderr'; readonly text: string }

/**
 * Converts a service's output line to a JSON line: JSON objects of at most 65,536 characters stay as they are, other
 * text becomes `msg`.
 */
export function toJsonLine(line: OutputLine, now: Date): string {
  if (isJsonObject(line.text)) return line.text
  const [level, msg] = levelOf(line)
  return JSON.stringify({ time: now.toISOString(), level, msg, service: line.service })
}

function levelOf({ stream, text }: OutputLine): readonly [level: string, msg: string] {
  const [, tag = '', msg = ''] = NATS_LINE.exec(text) ?? []
  const natsLevel = NATS_LEVELS[tag]
  if (natsLevel !== undefined) return [natsLevel, msg]
  return [stream === 'stderr' ? 'ERROR' : 'INFO', text]
}

/** The most characters of a line that is parsed: a line of 1 Mi characters such as `{"a":[[],[],…]}` takes 100 ms. */
const LONGEST_PARSED = 65_536

function isJsonObject(text: string): boolean {
  if (text.length > LONGEST_PARSED || !text.startsWith('{') || !text.endsWith('}')) return false
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
