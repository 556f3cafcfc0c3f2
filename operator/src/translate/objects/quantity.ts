const QUANTITY = /^(\d+)(?:\.(\d+))?([mkMGTPE]|[KMGTPE]i)?$/
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL = ['m', '', 'k', 'M', 'G', 'T', 'P', 'E']

/** Returns the bytes of a Kubernetes quantity; 0 for any other text. */
export function bytesOf(quantity: string): number {
  const thousandths = thousandthsOf(quantity)
  return thousandths === undefined ? 0 : Number(roundedUp(thousandths, 1000n))
}

/** Returns a quantity as the API server keeps it, `1024Mi` as `1Gi`, so that stored and written objects are equal. */
export function canonicalQuantity(quantity: string): string {
  const thousandths = thousandthsOf(quantity)
  if (thousandths === undefined) return quantity
  if (quantity.endsWith('i') && thousandths % 1000n === 0n) return shortest(thousandths / 1000n, 1024n, BINARY)
  return shortest(thousandths, 1000n, DECIMAL)
}

/** Writes a number in the largest unit that leaves a whole number. */
function shortest(number: bigint, base: bigint, units: readonly string[]): string {
  if (number === 0n) return '0'
  let left = number
  let index = 0
  while (left % base === 0n && index < units.length - 1) {
    left /= base
    index += 1
  }
  return `${left}${units[index] ?? ''}`
}

function thousandthsOf(quantity: string): bigint | undefined {
  const [, whole, fraction = '', unit = ''] = QUANTITY.exec(quantity) ?? []
  if (whole === undefined) return undefined
  const scaled = BigInt(whole + fraction) * factorOf(unit)
  // The API server, too, rounds up to a thousandth.
  return roundedUp(scaled, 10n ** BigInt(fraction.length))
}

function factorOf(unit: string): bigint {
  if (unit.endsWith('i')) return 1000n * 1024n ** BigInt(BINARY.indexOf(unit))
  return 1000n ** BigInt(DECIMAL.indexOf(unit))
}

function roundedUp(number: bigint, divisor: bigint): bigint {
  return (number + divisor - 1n) / divisor
}
