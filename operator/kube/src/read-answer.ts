import { parseInTurns } from './parse-in-steps.ts'
import { TransportError, transportErrorOf } from './transport-error.ts'
import type { Turns } from './turns.ts'

/** The limits of an answer; unset: none. A longer answer fails with `TOO_LONG`, and its rest isn't read. */
export type AnswerBounds = {
  readonly mostBytes?: number
  /**
   * The most values of the JSON. Short values cost most: a megabyte of `[]` takes twenty times as long to parse as a
   * megabyte of text. Counted are `[`, `{` and `,`, within texts, too.
   */
  readonly mostValues?: number
}

/** A shorter answer is parsed at once, in less than a millisecond. */
const SHORT_BYTES = 16 * 1024

/** Reads the JSON of an answer. Another body, such as a proxy's page, stays a text. Rejects with TransportError. */
export async function readAnswer(body: AsyncIterable<unknown>, bounds: AnswerBounds, turns: Turns): Promise<unknown> {
  try {
    const bytes = await readBytes(body, bounds)
    if (bytes.length === 0) return undefined
    if (bytes.length > SHORT_BYTES) await turns(() => undefined)
    return await parseJson(bytes, turns)
  } catch (error) {
    throw transportErrorOf(error)
  }
}

/** Leaving the loop closes the connection, so the rest isn't read. */
async function readBytes(body: AsyncIterable<unknown>, bounds: AnswerBounds): Promise<Buffer> {
  const { mostBytes = Number.POSITIVE_INFINITY, mostValues } = bounds
  const chunks: Uint8Array[] = []
  let bytes = 0
  let values = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue
    bytes += chunk.length
    if (mostValues !== undefined) values += valuesIn(chunk)
    if (bytes > mostBytes || values > (mostValues ?? 0)) throw new TransportError('TOO_LONG', undefined)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const LIST = 0x5b
const OBJECT = 0x7b
const COMMA = 0x2c

function valuesIn(chunk: Uint8Array): number {
  let values = 0
  for (const byte of chunk) if (byte === COMMA || byte === LIST || byte === OBJECT) values += 1
  return values
}

async function parseJson(bytes: Buffer, turns: Turns): Promise<unknown> {
  const text = bytes.toString()
  try {
    return await parseInTurns(text, turns)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}
