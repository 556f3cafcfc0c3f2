import type { Socket } from 'node:net'
import { HEAD_PART_BYTES, USUAL_HEAD_BYTES } from '../memory/head-bytes.ts'
import type { CallMemory } from '../memory/memory-account.ts'

/**
 * The most lines of an answer's head, or of trailers that have not arrived completely. undici keeps two views of bytes
 * for each line, 200 bytes of memory: 60,000 short lines took 13 MB.
 */
const MOST_LINES = 1_000
/** The most bytes that a connection reads at once; the reading with a head's beginning may have others before. */
const READ_BYTES = 64 * 1024

/** Returns true for too many lines in undici's list `[name, value, name, value, …]`. */
export function areManyLines(fields: unknown): boolean {
  return Array.isArray(fields) && fields.length > 2 * MOST_LINES
}

/** Returns an error that counts as one of the parser. */
export function brokenFields(message: string): Error {
  return Object.assign(new Error(message), { code: 'HPE_FIELDS' })
}

const OVERLOADED = 'OVERLOADED'

/** Returns the error of bytes for which the memory account has no room. */
export function overloaded(message: string): Error {
  return Object.assign(new Error(message), { code: OVERLOADED })
}

/** Returns true for an error of `overloaded`. */
export function isOverloaded(error: Error): boolean {
  return 'code' in error && error.code === OVERLOADED
}

/**
 * The lines of an answer's head, or of its trailers, that have not arrived completely. undici's parser keeps them as views
 * of the readings in which they came, and white space before a value is no part of a view: a line of two characters may
 * keep 64 KiB. They count in the memory of their call.
 */
export class UnfinishedFields {
  readonly #socket: Socket
  readonly #parserKey: symbol
  readonly #mostBytes: number
  #account: CallMemory | undefined
  /** The bytes of the readings in which the lines came. */
  #readBytes = 0
  #counted = 0

  /** `parserKey` is the socket's property with undici's parser; `maxHeaderBytes` limits names and values. */
  constructor(socket: Socket, { parserKey, maxHeaderBytes }: FieldsOptions) {
    this.#socket = socket
    this.#parserKey = parserKey
    this.#mostBytes = 2 * maxHeaderBytes + READ_BYTES
  }

  /** Expects the answer of a call; `account` is the call's part of the memory account. */
  expect(account: CallMemory): void {
    this.#account = account
  }

  /** Notes that the parser has parsed `bytes` more; returns an error where it keeps too much. */
  note(bytes: number): Error | undefined {
    const parts = partsIn(Reflect.get(this.#socket, this.#parserKey))
    if (parts === 0) {
      if (this.#readBytes > 0) this.release()
      return undefined
    }
    this.#readBytes += bytes
    if (parts > 2 * MOST_LINES) return brokenFields('too many lines')
    if (this.#readBytes > this.#mostBytes) return brokenFields('too many bytes between lines')
    const held = this.#readBytes + parts * HEAD_PART_BYTES
    if (held <= USUAL_HEAD_BYTES || this.#account === undefined) return undefined
    if (!this.#account.take(held - this.#counted)) return overloaded('no room for a head')
    this.#counted = held
    return undefined
  }

  /** Ends the counting for this call. */
  leave(): void {
    this.release()
    this.#account = undefined
  }

  /** Releases what is counted, because the lines have arrived completely. */
  release(): void {
    if (this.#counted > 0) this.#account?.release(this.#counted)
    this.#counted = 0
    this.#readBytes = 0
  }
}

export type FieldsOptions = { readonly parserKey: symbol; readonly maxHeaderBytes: number }

/** Returns the number of names and values in the parser's list. */
function partsIn(parser: unknown): number {
  const fields: unknown = typeof parser === 'object' && parser !== null ? Reflect.get(parser, 'headers') : undefined
  return Array.isArray(fields) ? fields.length : 0
}
