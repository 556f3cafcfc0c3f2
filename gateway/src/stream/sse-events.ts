/** One dispatched event of a stream: `event` is `message` where the stream names none. */
export type SseEvent = { readonly event: string; readonly data: string }

/**
 * The events of a collected `text/event-stream` (WHATWG HTML, 9.2.6), in time linear to the text.
 *
 * Unlike a browser it also gives the last event of a stream that broke off before its blank line.
 */
export function* sseEvents(text: string): Generator<SseEvent, void, undefined> {
  let event = ''
  let data: string[] = []
  for (const line of lines(text)) {
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', data: data.join('\n') }
      event = ''
      data = []
      continue
    }
    const [name, value] = fieldOf(line)
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
  }
  if (data.length > 0) yield { event: event || 'message', data: data.join('\n') }
}

function* lines(text: string): Generator<string, void, undefined> {
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  // Each kind of line end is searched again only once it is passed: a text without CR would otherwise be read to its end once a line.
  let lf = find(text, '\n', start)
  let cr = find(text, '\r', start)
  while (start < text.length) {
    if (lf < start) lf = find(text, '\n', start)
    if (cr < start) cr = find(text, '\r', start)
    const end = Math.min(lf, cr)
    yield text.slice(start, end)
    start = end === cr && lf === cr + 1 ? end + 2 : end + 1
  }
}

function find(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from)
  return at < 0 ? text.length : at
}

function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  // A comment is a line with an empty field name.
  return [line.slice(0, colon), line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1)]
}
