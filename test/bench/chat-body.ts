/** A chat request as compact JSON with a serial number, so that all requests of a run differ. */
export type ChatBody = {
  readonly bytes: Buffer
  /** The offset of the serial's digits. */
  readonly serialOffset: number
}

const SERIAL_DIGITS = 10
const SERIAL_PREFIX = 'bench-'

const SENTENCES = {
  ascii:
    'Compare the two contracts below, clause by clause.\n\n1. "Term": 24 months, C:\\contracts\\a.txt;\n2. `fee` = 1,200 USD/month\t(net)\n',
  unicode: 'Vergleiche die Verträge — «Größe», 価格は1,200円、Émile a dit: “d’accord” 🙂\n',
} as const

/**
 * Returns a chat request of exactly `size` bytes: messages of mixed text with quotes, backslashes, tabs and line
 * breaks, escaped in the JSON; `unicode` adds raw UTF-8. `JSON.stringify` of the parsed request gives the same bytes.
 */
export function chatBody(size: number, text: keyof typeof SENTENCES, stream = false): ChatBody {
  const count = size < 2_000 ? 3 : Math.min(40, Math.ceil(size / 2_000))
  const share = Math.floor((size * 0.9) / count)
  const sentence = SENTENCES[text]
  const sentenceBytes = jsonBytes(sentence)
  const messages = [{ role: 'system', content: 'You are a careful assistant.' }]
  for (let index = 1; index < count; index += 1) {
    const content = sentence.repeat(Math.max(0, Math.floor((share - 40) / sentenceBytes)))
    messages.push({ role: index % 2 === 1 ? 'user' : 'assistant', content })
  }
  const body = (padding: string): string =>
    JSON.stringify({
      user: SERIAL_PREFIX + '0'.repeat(SERIAL_DIGITS),
      model: 'gpt-4',
      ...(stream ? { stream: true } : {}),
      max_tokens: 256,
      temperature: 0.7,
      messages: [...messages, { role: 'user', content: padding }],
    })
  const missing = size - Buffer.byteLength(body(''))
  if (missing < 0) throw new Error(`no chat request fits ${size} bytes`)
  const bytes = Buffer.from(body('lorem ipsum '.repeat(Math.ceil(missing / 12)).slice(0, missing)))
  return { bytes, serialOffset: bytes.indexOf(SERIAL_PREFIX) + SERIAL_PREFIX.length }
}

/** Writes the serial's digits into `target` at `offset`. */
export function writeSerial(target: Buffer, offset: number, serial: number): void {
  target.write(String(serial).padStart(SERIAL_DIGITS, '0'), offset, SERIAL_DIGITS, 'latin1')
}

export function readSerial(source: Buffer, offset: number): number {
  return Number(source.toString('latin1', offset, offset + SERIAL_DIGITS))
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}
