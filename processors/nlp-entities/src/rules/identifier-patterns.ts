import type { Label, Span } from '../entity.ts'

type Identifier = { readonly label: Label; readonly pattern: RegExp; readonly isValid: (text: string) => boolean }

const always = (): boolean => true
const IBAN_REMAINDER = 1n
const IBAN_MODULUS = 97n
const MAX_OCTET = 255
const MIN_PHONE_DIGITS = 8
const LETTER_OFFSET = 55

/** Identifiers of people and machines. All quantifiers are bounded, so that no text makes a search long. */
const IDENTIFIERS: readonly Identifier[] = [
  {
    label: 'EMAIL',
    pattern: /(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])/gi,
    isValid: always,
  },
  { label: 'IBAN', pattern: /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)/g, isValid: isIban },
  // The pattern skips digits that follow the country and the check digits of an IBAN.
  { label: 'CARD', pattern: /(?<![\w-]|[A-Z]{2}\d{2} )\d(?:[ -]?\d){12,18}(?![\w-])/g, isValid: isCard },
  {
    label: 'IP_ADDRESS',
    pattern: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]\d|\d)/g,
    isValid: (text) => text.split('.').every((part) => Number(part) <= MAX_OCTET),
  },
  { label: 'IP_ADDRESS', pattern: /(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/gi, isValid: always },
  {
    label: 'IP_ADDRESS',
    pattern: /(?<![\w:])(?:[0-9a-f]{1,4}:){1,6}:(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5})?(?![\w:])/gi,
    isValid: always,
  },
  { label: 'PHONE', pattern: /(?<![\w+])\+\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){2,6}(?!\w)/g, isValid: isPhone },
  { label: 'PHONE', pattern: /(?<!\w)(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\w)/g, isValid: always },
]

/** Returns e-mail and IP addresses, telephone numbers, and account and card numbers with a valid checksum. */
export function identifierSpans(text: string): readonly Span[] {
  return IDENTIFIERS.flatMap(({ label, pattern, isValid }) =>
    [...text.matchAll(pattern)]
      .filter(([found]) => isValid(found))
      .map(({ 0: found, index }) => ({ start: index, end: index + found.length, label })),
  )
}

/** Checks an IBAN (ISO 13616): rearranged and read as a number, its remainder modulo 97 is 1. */
function isIban(text: string): boolean {
  const account = text.replaceAll(' ', '')
  const moved = `${account.slice(4)}${account.slice(0, 4)}`
  const digits = moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - LETTER_OFFSET))
  return BigInt(digits) % IBAN_MODULUS === IBAN_REMAINDER
}

/** Checks a card number by Luhn's algorithm (ISO/IEC 7812). */
function isCard(text: string): boolean {
  const digits = [...text.replace(/\D/g, '')].map(Number)
  if (digits.every((digit) => digit === 0)) return false
  const sum = digits.toReversed().reduce((total, digit, at) => {
    const doubled = at % 2 === 1 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

function isPhone(text: string): boolean {
  return text.replace(/\D/g, '').length >= MIN_PHONE_DIGITS
}
