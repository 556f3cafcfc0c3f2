const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const SMALL = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const CLOCK = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 2,
})
const MINUTE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const

/** Formats a count: 12,345. */
export function count(value: number): string {
  return NUMBER.format(value)
}

/** Formats a count with a noun: 1 router, 2 routers. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Formats a rate: 0.25, 12, 1,200. */
export function rate(value: number): string {
  return SMALL.format(value < 10 ? value : Math.round(value))
}

/** Formats milliseconds: 12 ms, 1.24 s. */
export function shortMilliseconds(value: number): string {
  if (value < 1_000) return `${value < 10 ? SMALL.format(value) : count(value)} ms`
  return `${SMALL.format(value / 1_000)} s`
}

export function shortBytes(value: number): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)))
  return `${SMALL.format(value / 1024 ** step)} ${UNITS[step] ?? ''}`
}

/** Formats a time in the browser's zone: 14:03:09.12. Returns a text that is not a time unchanged. */
export function clock(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : CLOCK.format(time)
}

/** Formats Unix seconds: 14:03. */
export function minute(seconds: number): string {
  return MINUTE.format(seconds * 1_000)
}

export function dateTime(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : DATE_TIME.format(time)
}

/** Returns the first twelve digits of `sha256:…`. */
export function shortDigest(digest: string): string {
  return digest.replace(/^(sha256:)?([0-9a-f]{12}).*$/, '$2')
}
