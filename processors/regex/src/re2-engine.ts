/**
 * Returns the texts of at most `most` non-overlapping matches, from left to right: of each match the first group that
 * took part, or the whole match for a pattern without groups.
 */
export type Search = (text: string, most: number) => readonly string[]

export type Compilation =
  | { readonly kind: 'compiled'; readonly search: Search }
  /** `reason` is one of our own codes. */
  | { readonly kind: 'rejected'; readonly reason: string }

export type RegexEngine = { compile(pattern: string): Compilation }

type Re2 = typeof import('re2')

/** Error codes of an addon that isn't built, is built for another machine or Node, or is switched off. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED', 'ERR_DLOPEN_DISABLED'])

/** Loads RE2, which matches in linear time; undefined when its native addon isn't built or is for another machine. */
export async function loadRe2(): Promise<RegexEngine | undefined> {
  const re2 = await importRe2()
  return re2 === undefined ? undefined : { compile: (pattern) => compile(re2, pattern) }
}

async function importRe2(): Promise<Re2 | undefined> {
  try {
    return (await import('re2')).default
  } catch (error) {
    if (error instanceof Error && 'code' in error && UNAVAILABLE.has(error.code)) return undefined
    throw error
  }
}

function compile(re2: Re2, pattern: string): Compilation {
  try {
    const expression = new re2(pattern, 'gu')
    return { kind: 'compiled', search: (text, most) => search(expression, text, most) }
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'rejected', reason: patternFault(error.message) }
    throw error
  }
}

function search(expression: RegExp, text: string, most: number): readonly string[] {
  const found: string[] = []
  expression.lastIndex = 0
  while (found.length < most) {
    const match = expression.exec(text)
    if (match === null) break
    found.push(textOf(match))
    if (match[0] === '') expression.lastIndex = indexAfter(text, expression.lastIndex)
  }
  return found
}

/** Returns the text of the group that took part: alternatives have one group each. */
function textOf(match: RegExpExecArray): string {
  if (match.length === 1) return match[0]
  return match.slice(1).find((group) => group !== undefined) ?? ''
}

/** Steps over a character after an empty match, which would be found again. */
function indexAfter(text: string, index: number): number {
  return index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1)
}

/** RE2's messages by their beginning, and our codes; a whole message quotes the pattern. */
const FAULTS: readonly (readonly [message: RegExp, reason: string])[] = [
  [/^invalid escape sequence: \\[1-9]/, 'backreference:'],
  [/^invalid escape sequence|^trailing \\/, 'escape:'],
  [/^invalid character class/, 'class:'],
  [/^missing \]/, 'bracket:'],
  [/^(missing|unexpected) \)/, 'parenthesis:'],
  [/^(no argument for|bad) repetition operator|^invalid repetition size/, 'repetition:'],
  [/^invalid perl operator: \(\?<?[=!]/, 'lookaround:'],
  [/^invalid perl operator|^(invalid named|duplicate) capture group/, 'group:'],
  [/^invalid UTF-8/, 'encoding:'],
  [/^pattern too large/, 'too_large:'],
]

/** Returns our code for RE2's error message. */
export function patternFault(message: string): string {
  return FAULTS.find(([pattern]) => pattern.test(message))?.[1] ?? 'pattern:'
}
