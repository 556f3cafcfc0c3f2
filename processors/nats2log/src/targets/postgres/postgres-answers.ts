import type { Duplex } from 'node:stream'

/**
 * The most bytes that a server may send before the next statement. The answers to the sink's statements, which return
 * at most one short row, take less than 1 KiB; the rest is room for notices and for the texts of errors.
 */
const MOST_BYTES = 1024 * 1024
/** The letter of a message and its length, which includes itself but not the letter. */
const HEAD_BYTES = 5
const [ERROR, NOTICE] = Buffer.from('EN')

/** Why a connection was destroyed: the server sent too much, or something that is no answer. */
class AnswerError extends Error {
  readonly code: 'ANSWER_SIZE' | 'BAD_ANSWER'

  constructor(code: AnswerError['code']) {
    super(code)
    this.code = code
  }
}

/**
 * Bounds what a PostgreSQL server sends on one connection. The pg package parses messages in its listener of the
 * stream's `data`: it throws there on odd messages, which would end the process, it never returns from an error message
 * without an end, and it buffers messages of any length. So the package gets whole messages, one at a time, and a
 * message that it can't take breaks the connection.
 */
export class PostgresAnswers {
  #bytes = 0
  #parts: Buffer[] = []
  #held = 0
  /** The bytes without which the next message, or its head, isn't complete. */
  #wanted = HEAD_BYTES

  /** Tells that the server has answered and another statement follows. */
  restart(): void {
    this.#bytes = 0
  }

  /** Guards the listeners of a stream that has received nothing yet. */
  guard(stream: Duplex): void {
    const emit = stream.emit.bind(stream)
    const receive = (chunk: Buffer): void => {
      for (const message of this.#messages(chunk)) {
        if (stream.destroyed) return
        emit('data', message)
      }
    }
    Object.assign(stream, {
      emit: (name: string | symbol, ...values: unknown[]): boolean => {
        const [chunk] = values
        if (name !== 'data' || !Buffer.isBuffer(chunk)) return emit(name, ...values)
        try {
          receive(chunk)
        } catch (error) {
          stream.destroy(error instanceof AnswerError ? error : new AnswerError('BAD_ANSWER'))
        }
        return true
      },
    })
  }

  /** Yields the messages that are complete with this chunk. A message's parts are joined once, however many they are. */
  *#messages(chunk: Buffer): Generator<Buffer, void> {
    this.#bytes += chunk.length
    if (this.#bytes > MOST_BYTES) throw new AnswerError('ANSWER_SIZE')
    this.#parts.push(chunk)
    this.#held += chunk.length
    if (this.#held < this.#wanted) return
    let rest = Buffer.concat(this.#parts)
    let length = lengthOf(rest)
    while (rest.length >= length) {
      const message = rest.subarray(0, length)
      if (!isReadable(message)) throw new AnswerError('BAD_ANSWER')
      yield message
      rest = rest.subarray(length)
      length = lengthOf(rest)
    }
    this.#parts = [rest]
    this.#held = rest.length
    this.#wanted = length
  }
}

/** Returns the length of the first message; of a head while that isn't complete. */
function lengthOf(bytes: Buffer): number {
  if (bytes.length < HEAD_BYTES) return HEAD_BYTES
  const length = bytes.readUInt32BE(1) + 1
  if (length < HEAD_BYTES) throw new AnswerError('BAD_ANSWER')
  if (length > MOST_BYTES) throw new AnswerError('ANSWER_SIZE')
  return length
}

/** Returns whether the fields of an error or a notice have an end, a NUL: the package looks for it for ever. */
function isReadable(message: Buffer): boolean {
  if (message[0] !== ERROR && message[0] !== NOTICE) return true
  let at = HEAD_BYTES
  while (at < message.length && message[at] !== 0) {
    const end = message.indexOf(0, at + 1)
    if (end < 0) return false
    at = end + 1
  }
  return at < message.length
}
