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
