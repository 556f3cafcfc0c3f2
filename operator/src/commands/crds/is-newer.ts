/** `1.2.3-rc.1+build`: numbers, then names of a pre-release. Build names don't count (semver.org, 2.0.0, item 11). */
const SEMVER = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*))?(?:\+[\da-zA-Z.-]+)?$/
const MAX_LETTERS = 256

export function isVersion(text: string): boolean {
  return text.length <= MAX_LETTERS && SEMVER.test(text)
}

/** Returns whether version `one` is newer than `other`; false where either isn't a version. */
export function isNewer(one: string, other: string): boolean {
  const [left, right] = [partsOf(one), partsOf(other)]
  if (left === undefined || right === undefined) return false
  for (let at = 0; at < left.numbers.length; at += 1) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return isLaterName(left.names, right.names)
}

type Parts = { readonly numbers: readonly number[]; readonly names: readonly string[] }

function partsOf(text: string): Parts | undefined {
  const found = isVersion(text) ? SEMVER.exec(text) : null
  if (found === null) return undefined
  const [, major, minor, patch, names = ''] = found
  return { numbers: [major, minor, patch].map(Number), names: names === '' ? [] : names.split('.') }
}

/** Compares names of pre-releases. A release comes after its pre-releases. */
function isLaterName(left: readonly string[], right: readonly string[]): boolean {
  if (left.length === 0 || right.length === 0) return left.length < right.length
  const at = left.findIndex((name, index) => name !== right[index])
  const [one, other] = [left[at], right[at]]
  if (one === undefined) return false
  if (other === undefined) return true
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber && isOtherNumber) return Number(one) > Number(other)
  return isNumber === isOtherNumber ? one > other : isOtherNumber
}
