/** Returns line and column, from 1, where a text stops being JSON; undefined for valid JSON. */
export function jsonErrorPosition(text: string): { readonly line: number; readonly column: number } | undefined {
  const offset = new JsonReader(text).brokenOffset()
  if (offset === undefined) return undefined
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1
    start = at + 1
  }
  return { line, column: offset - start + 1 }
}

const SPACE = /[ \t\n\r]*/y
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const FIRST_PRINTABLE = 0x20

/**
 * Reads JSON without making values. The recursion is as deep as the text, so that callers must limit the depth. Methods
 * return false for broken text, whose place is `#at`.
 */
class JsonReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  brokenOffset(): number | undefined {
    return this.#value() && this.#at === this.#text.length ? undefined : this.#at
  }

  /** Reads a value with surrounding white space. */
  #value(): boolean {
    this.#match(SPACE)
    const whole = this.#is('{')
      ? this.#list('}', () => this.#member())
      : this.#is('[')
        ? this.#list(']', () => this.#value())
        : this.#is('"')
          ? this.#string()
          : this.#match(SCALAR)
    if (whole) this.#match(SPACE)
    return whole
  }

  #list(close: string, item: () => boolean): boolean {
    this.#at += 1
    this.#match(SPACE)
    if (this.#take(close)) return true
    while (item()) {
      if (this.#take(close)) return true
      if (!this.#take(',')) return false
    }
    return false
  }

  #member(): boolean {
    this.#match(SPACE)
    if (!this.#is('"') || !this.#string()) return false
    this.#match(SPACE)
    return this.#take(':') && this.#value()
  }

  #string(): boolean {
    this.#at += 1
    while (!this.#take('"')) {
      if (this.#is('\\')) {
        if (!this.#match(ESCAPE)) return false
      } else if (this.#text.charCodeAt(this.#at) >= FIRST_PRINTABLE) {
        this.#at += 1
      } else return false // a control character or the text's end
    }
    return true
  }

  #is(char: string): boolean {
    return this.#text[this.#at] === char
  }

  #take(char: string): boolean {
    if (!this.#is(char)) return false
    this.#at += 1
    return true
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    if (!pattern.test(this.#text)) return false
    this.#at = pattern.lastIndex
    return true
  }
}
