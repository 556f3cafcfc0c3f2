/** The place in a YAML text at which a person types. */
export type YamlPlace = {
  /** Members from the root; `*` is an element of a list. */
  readonly path: readonly string[]
  /** The typed part: a key, or the value of `key`. */
  readonly typed: { readonly kind: 'key' } | { readonly kind: 'value'; readonly key: string }
  /** The offset of the typed word in the text. */
  readonly from: number
  /** Keys of the same object. */
  readonly siblings: readonly string[]
}

const KEY = /^(\s*)((?:- +)*)(?:"([^"]*)"|'([^']*)'|([^\s#:'"[{][^:#]*?))\s*:(?:\s+(.*))?$/

type Line = { readonly indent: number; readonly dashes: number; readonly key: string | undefined }

/**
 * Finds the place at an offset. The search reads the indents of lines, so an unfinished YAML text has places too.
 * Returns undefined inside flow collections (`{a: 1}`) and block texts.
 */
export function yamlPlace(text: string, position: number): YamlPlace | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1
  const current = text.slice(start, position)
  if (/[{[#|>]/.test(current)) return undefined
  const before = text.slice(0, start).split('\n').slice(0, -1)
  const after = text.slice(position).split('\n').slice(1)
  const value = KEY.exec(current)
  const [, spaces = '', dashes = '', word = ''] = /^(\s*)((?:- +)*)(\S*)$/.exec(current) ?? []
  if (value === null && spaces + dashes + word !== current) return undefined
  const indent = value === null ? spaces.length + dashes.length : indentOf(value)
  const path = parentsOf(before, value === null ? spaces.length + dashes.length : indent, dashes !== '')
  const siblings = siblingsOf(before, after, indent)
  if (value === null) return { path, typed: { kind: 'key' }, from: position - word.length, siblings }
  const typedValue = value[6] ?? ''
  return { path, typed: { kind: 'value', key: keyOf(value) }, from: position - typedValue.length, siblings }
}

function lineOf(text: string): Line | undefined {
  if (text.trim() === '' || text.trim().startsWith('#')) return undefined
  const [, spaces = '', dashes = ''] = /^(\s*)((?:- +)*)/.exec(text) ?? []
  const found = KEY.exec(text)
  const key = found === null ? undefined : keyOf(found)
  return { indent: spaces.length + dashes.length, dashes: dashes.length, key }
}

/** Returns the keys above this line that contain it, from the root. */
function parentsOf(before: readonly string[], indent: number, isElement: boolean): readonly string[] {
  const path: string[] = []
  let [limit, inElement] = [indent, isElement]
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const line = lineOf(before[at] ?? '')
    if (line === undefined) continue
    const outer = line.indent - line.dashes
    if (line.dashes > 0 && line.indent === limit && !inElement) {
      inElement = true
      limit = line.indent
      continue
    }
    // The items of a list may be indented as deep as its key.
    const holds = inElement ? line.dashes === 0 && line.indent < limit : line.indent < limit
    if (!holds || line.key === undefined) continue
    path.unshift(line.key, ...(inElement ? ['*'] : []))
    inElement = line.dashes > 0
    limit = inElement ? line.indent : outer
  }
  return path
}

function siblingsOf(before: readonly string[], after: readonly string[], indent: number): readonly string[] {
  const found: string[] = []
  const gather = (lines: readonly string[]): void => {
    for (const text of lines) {
      const line = lineOf(text)
      if (line === undefined || line.indent > indent) continue
      if (line.indent < indent) return
      if (line.key !== undefined) found.push(line.key)
      if (line.dashes > 0) return
    }
  }
  gather(before.toReversed())
  gather(after)
  return found
}

function indentOf(found: RegExpExecArray): number {
  return (found[1] ?? '').length + (found[2] ?? '').length
}

function keyOf(found: RegExpExecArray): string {
  return found[3] ?? found[4] ?? found[5] ?? ''
}
