/**
 * The matches from left to right that don't overlap, at most so many: of each what the first of the pattern's groups that
 * took part holds, of a pattern without groups all of it.
 */
export type Search = (text: string, most: number) => readonly string[]

export type Compilation =
  | { readonly kind: 'compiled'; readonly search: Search }
  /** `reason` is one of our own codes. */
  | { readonly kind: 'rejected'; readonly reason: string }

export type RegexEngine = { compile(pattern: string): Compilation }

type Re2 = typeof import('re2')

/** Not built; built for another machine or Node; addons are switched off. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED', 'ERR_DLOPEN_DISABLED'])

/** RE2, which takes linear time; undefined where its native addon isn't built or isn't for this machine. */
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

/** Alternatives have a group each, of which one takes part. */
function textOf(match: RegExpExecArray): string {
  if (match.length === 1) return match[0]
  return match.slice(1).find((group) => group !== undefined) ?? ''
}

/** An empty match must not be found again. */
function indexAfter(text: string, index: number): number {
  return index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1)
}

/** RE2's classes of reasons, by what its messages begin with; the message itself quotes the pattern. */
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

/** Our code for why RE2 does not take a pattern. */
export function patternFault(message: string): string {
  return FAULTS.find(([pattern]) => pattern.test(message))?.[1] ?? 'pattern:'
}
