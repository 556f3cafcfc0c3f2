const QUANTITY = /^(\d+(?:\.\d+)?)(m|k|[MGTPE]|[KMGTPE]i)?$/
const POWERS = ['', 'K', 'M', 'G', 'T', 'P', 'E']

/** Bytes of a Kubernetes quantity; 0 for what isn't one. */
export function bytesOf(quantity: string): number {
  const [, number, unit = ''] = QUANTITY.exec(quantity) ?? []
  if (number === undefined) return 0
  if (unit === 'm') return Math.ceil(Number(number) / 1000)
  const base = unit.endsWith('i') ? 1024 : 1000
  return Math.ceil(Number(number) * base ** POWERS.indexOf(unit.slice(0, 1).toUpperCase()))
}
