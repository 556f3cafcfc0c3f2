/** A value in nats-server.conf with its key. Entries of a list have the list's key. */
export type NatsValue = {
  /** In lower case, as the bus compares keys. */
  readonly key: string
  /** The value as written, quotes included; `{` or `[` where a map or a list begins. */
  readonly written: string
  readonly start: number
  readonly end: number
}
export type NatsParts = {
  readonly values: readonly NatsValue[]
  /** Offsets of the comments. */
  readonly comments: readonly { readonly start: number; readonly end: number }[]
}

const SPACE = /[\s,;]*/y
const COMMENT = /(?:#|\/\/)[^\n]*/y
const KEY = /"[^"]*"|'[^']*'|[^\s:=]+/y
const SEPARATOR = /\s*/y
const WORD = /[^\s,;\]}]+/y

/** Reads a text in one pass, as the bus does. Faulty places are skipped or read as words. */
export function natsParts(text: string): NatsParts {
  const values: NatsValue[] = []
  const comments: { start: number; end: number }[] = []
  /** The key of each open list; undefined stands for an open map. */
  const around: (string | undefined)[] = []
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(text) ?? []
    at += found.length
    return found
  }
  const readValue = (key: string): void => {
    const start = at
    const opening = text[at]
    if (opening === '{' || opening === '[') {
      at += 1
      around.push(opening === '[' ? key : undefined)
    } else if (opening === '"' || opening === "'") at = quoteEnd(text, at)
    else if (opening === '(') at = blockEnd(text, at)
    else if (take(WORD) === '') return
    values.push({ key, written: text.slice(start, at), start, end: at })
  }
  while (at < text.length) {
    take(SPACE)
    const start = at
    if (take(COMMENT) !== '') comments.push({ start, end: at })
    else if (text[at] === '}' || text[at] === ']') {
      at += 1
      around.pop()
    } else if (around.at(-1) !== undefined) readValue(around.at(-1) ?? '')
    else {
      const key = take(KEY)
        .replaceAll(/^["']|["']$/g, '')
        .toLowerCase()
      take(SEPARATOR)
      if (text[at] === ':' || text[at] === '=') at += 1
      take(SEPARATOR)
      readValue(key)
    }
    // No pattern fits: the bus would refuse this character.
    if (at === start) at += 1
  }
  return { values, comments }
}

/** Returns the offset behind a quoted string. In double quotes a backslash escapes the next character. */
function quoteEnd(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === quote) return at + 1
    if (text[at] === '\\' && quote === '"') at += 1
  }
  return text.length
}

/** Returns the offset behind a block, which ends at a line with only `)`. */
function blockEnd(text: string, start: number): number {
  for (let line = start; line >= 0 && line < text.length; line = text.indexOf('\n', line) + 1 || text.length) {
    const end = text.indexOf('\n', line)
    const stop = end < 0 ? text.length : end
    if (
      text
        .slice(line, stop)
        .trim()
        .replace(/^\(\s*/, '') === ')'
    )
      return stop
  }
  return text.length
}
