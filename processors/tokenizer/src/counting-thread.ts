import { parentPort } from 'node:worker_threads'
import { countText, type TextCount } from './count-text.ts'
import type { CountRequest } from './counter.ts'
import { type Encoding, type EncodingName, loadEncoding } from './encodings.ts'

const loaded = new Map<EncodingName, Encoding>()
const port = parentPort

// A rejection here ends the thread, which the program notices and starts another.
port?.on('message', (request: CountRequest) => void answer(request))

async function answer({ texts, encodings }: CountRequest): Promise<void> {
  const counts: TextCount[] = []
  for (const name of encodings) counts.push(sum(texts, await encodingOf(name)))
  port?.postMessage(counts)
}

async function encodingOf(name: EncodingName): Promise<Encoding> {
  const encoding = loaded.get(name) ?? (await loadEncoding(name))
  loaded.set(name, encoding)
  return encoding
}

function sum(texts: readonly string[], encoding: Encoding): TextCount {
  const counts = texts.map((text) => countText(text, encoding))
  return {
    tokens: counts.reduce((total, { tokens }) => total + tokens, 0),
    estimated: counts.some(({ estimated }) => estimated),
  }
}
