import type { Socket } from 'node:net'

/**
 * The most lines of an answer's head, or of its trailers. undici keeps two views of bytes for each line, 200 bytes of
 * memory: 60,000 short lines took 13 MB.
 */
const MOST_LINES = 1_000

/**
 * Returns true where undici's parser, the socket's property `parserKey`, holds too many lines of a head, or of trailers,
 * that has not arrived completely.
 */
export function parsesManyLines(socket: Socket, parserKey: symbol): boolean {
  const parser: unknown = Reflect.get(socket, parserKey)
  return typeof parser === 'object' && parser !== null && areManyLines(Reflect.get(parser, 'headers'))
}

/** Returns true for too many lines in undici's list `[name, value, name, value, …]`. */
export function areManyLines(fields: unknown): boolean {
  return Array.isArray(fields) && fields.length > 2 * MOST_LINES
}

/** Returns an error that counts as one of the parser. */
export function brokenHead(message: string): Error {
  return Object.assign(new Error(message), { code: 'HPE_HEAD' })
}
