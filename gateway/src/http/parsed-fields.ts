import type { Socket } from 'node:net'

/** A connection that is told the names and values that node's parser hands over before a head or a body is complete. */
export type FieldCounter = {
  /** Called with a number of names and values; `isTrailer` is true within the trailers of a chunked body. */
  countFields(count: number, isTrailer: boolean): void
}

/** The name of the parser's property for these names and values (`kOnHeaders`). */
const ON_FIELDS = '1'

/**
 * Sees the header lines of a port's connections when they arrive. Node's parser keeps them as strings until their head
 * or body is complete, and hands over 32 lines at a time; a head of fewer lines passes at once and costs nothing here.
 * Trailers are dropped, since the gateway uses none: a caller that doesn't end them would fill the heap.
 */
export class ParsedFields {
  readonly #take: (this: unknown, ...handed: readonly unknown[]) => void
  /** Node's own function, which all parsers share. */
  #keep: unknown

  constructor(find: (socket: object) => FieldCounter | undefined) {
    const countAndKeep = (parser: unknown, handed: readonly unknown[]): void => {
      const socket = objectOf(parser, 'socket')
      // A parser passes from one port to another, so that its socket may be another port's.
      const connection = socket === undefined ? undefined : find(socket)
      const isTrailer =
        connection !== undefined && Reflect.get(objectOf(parser, 'incoming') ?? {}, 'complete') === false
      const [fields] = handed
      if (Array.isArray(fields)) connection?.countFields(fields.length, isTrailer)
      if (!isTrailer && typeof this.#keep === 'function') this.#keep.apply(parser, handed)
    }
    this.#take = function take(...handed) {
      countAndKeep(this, handed)
    }
  }

  /** To be called once node's server has the socket. */
  watch(socket: Socket): void {
    const parser = objectOf(socket, 'parser')
    if (parser === undefined) return
    const before: unknown = Reflect.get(parser, ON_FIELDS)
    if (before === this.#take) return
    this.#keep ??= before
    Reflect.set(parser, ON_FIELDS, this.#take)
  }
}

/** Returns an object that one of node's objects keeps under a name; undefined where there is none. */
export function objectOf(holder: unknown, name: string): object | undefined {
  const held: unknown = typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined
  return typeof held === 'object' && held !== null ? held : undefined
}
