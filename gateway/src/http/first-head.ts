import { type HeaderMap, readHeaders } from './headers.ts'

const HEAD_END = Buffer.from('\r\n\r\n')
/**
 * The head of a connection's first request, read before node's parser has its bytes. It decides only for whom the
 * connection waits, so that a form that the parser takes otherwise, or refuses, does no harm.
 */
export class FirstHead {
  readonly target: string
  readonly #lines: readonly string[]

  private constructor(target: string, lines: readonly string[]) {
    this.target = target
    this.#lines = lines
  }

  /** Returns undefined where the bytes don't begin with a complete head. */
  static of(bytes: Buffer): FirstHead | undefined {
    const end = bytes.indexOf(HEAD_END)
    if (end === -1) return undefined
    const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
    const target = /^[^ ]+ ([^ ]+) /.exec(first)?.[1]
    return target === undefined ? undefined : new FirstHead(target, lines)
  }

  /** Returns the headers with these lower-case names alone: a crowd's heads may have a hundred others each. */
  headersOf(names: ReadonlySet<string>): HeaderMap {
    return readHeaders(this.#lines.flatMap((line) => fieldOf(line, names)))
  }
}

function fieldOf(line: string, names: ReadonlySet<string>): readonly string[] {
  const at = line.indexOf(':')
  const name = line.slice(0, Math.max(0, at))
  return names.has(name.toLowerCase()) ? [name, line.slice(at + 1).trim()] : []
}
