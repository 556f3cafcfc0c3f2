import { MESSAGE_ID_HEADER, printableLine } from '@llm-gateway/protocol'
import { type BusStreams, type KeptMessage, readStream } from '@llm-gateway/sdk'
import { streamNames } from '../stream/stream-names.ts'
import type { Writer } from '../targets/writer.ts'
import { REFUSED_BY, REFUSED_REASON } from './write-dead-letter.ts'

/** The dead letters of a sink. */
export type DeadLetters = {
  readonly streams: BusStreams
  /** The subject of the records. */
  readonly subject: string
  readonly sink: string
  /** Takes a line of output. */
  readonly print: (line: string) => void
  readonly signal: AbortSignal
}

type DeadLetter = Pick<KeptMessage, 'bytes' | 'sequence' | 'timeMs' | 'header'>

/** Prints a JSON line for each letter: number, time, reason, id, bytes. Returns 0. */
export async function listDeadLetters(letters: DeadLetters): Promise<number> {
  for await (const letter of lettersOf(letters)) {
    const { sequence: number, timeMs, bytes } = letter
    const time = new Date(timeMs).toISOString()
    const line = {
      number,
      time,
      reason: letter.header(REFUSED_REASON),
      id: recordId(letter, letters),
      bytes: bytes.length,
    }
    letters.print(printableLine(Buffer.from(JSON.stringify(line))))
  }
  return 0
}

/** Prints the record of a letter on one line; returns 1 when the letter doesn't exist. */
export async function showDeadLetter(number: number, letters: DeadLetters): Promise<number> {
  const letter = await letterOf(number, letters)
  if (letter === undefined) return absent(number, letters)
  letters.print(printableLine(letter.bytes))
  return 0
}

/** Writes letters to the sink's target and removes those it took; returns 1 unless the target took all. */
export async function resendDeadLetters(
  numbers: readonly number[] | 'all',
  letters: DeadLetters & { readonly writer: Writer },
): Promise<number> {
  let code = 0
  await letters.writer.open()
  for await (const letter of numbers === 'all' ? lettersOf(letters) : chosen(numbers, letters)) {
    if (typeof letter === 'number') code = absent(letter, letters)
    else if (!(await send(letter, letters))) code = 1
  }
  await letters.writer.close()
  return code
}

async function send(letter: DeadLetter, letters: DeadLetters & { readonly writer: Writer }): Promise<boolean> {
  const { writer, streams, subject, print } = letters
  const { sequence: number, bytes } = letter
  const id = recordId(letter, letters)
  const [failure] = (await writer.write([{ bytes, ...(id === undefined ? {} : { id }) }])).failed
  if (failure === undefined) await streams.removeMessage(streamNames(subject).refused, number)
  print(JSON.stringify({ number, ...(failure === undefined ? { sent: true } : { sent: false, reason: failure.code }) }))
  return failure === undefined
}

async function* chosen(numbers: readonly number[], letters: DeadLetters): AsyncGenerator<DeadLetter | number, void> {
  for (const number of numbers) yield (await letterOf(number, letters)) ?? number
}

async function* lettersOf({ streams, subject, sink, signal }: DeadLetters): AsyncGenerator<DeadLetter, void> {
  const reading = {
    streams,
    stream: streamNames(subject).refused,
    start: { kind: 'beginning' },
    follow: false,
    signal,
  } as const
  for await (const message of readStream(reading)) if (message.header(REFUSED_BY) === sink) yield message
}

async function letterOf(number: number, { streams, subject, sink }: DeadLetters): Promise<DeadLetter | undefined> {
  const found = await streams.message(streamNames(subject).refused, number)
  return found.kind === 'found' && found.value.header(REFUSED_BY) === sink ? found.value : undefined
}

function absent(number: number, { print }: DeadLetters): 1 {
  print(JSON.stringify({ number, reason: 'ABSENT' }))
  return 1
}

/** Returns the record's id; the id of a dead letter ends with `-` and the sink's name. */
function recordId(letter: DeadLetter, { sink }: DeadLetters): string | undefined {
  const id = letter.header(MESSAGE_ID_HEADER)
  return id?.endsWith(`-${sink}`) === true ? id.slice(0, -sink.length - 1) : id
}
