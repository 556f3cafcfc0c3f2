import { MASKED } from '../masked.ts'
import type { CallRecord } from './call-record.ts'

/** Headers that curl sets itself. */
const SET_BY_CURL = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding'])

/**
 * Returns a command that repeats the call. Masked values become shell variables. Without `-g` curl would send a call for
 * each number of a caller's path such as `[1-9999]`.
 */
export function curlCommand(record: CallRecord, gateway: string): string {
  const ingress = record.hops.find(({ name }) => name === 'ingress')
  const query = new URLSearchParams(record.query.map(([name, value]) => [name, value])).toString()
  const url = `${gateway}${record.path}${record.subpath}${query === '' ? '' : `?${query}`}`
  const headers = [...(ingress?.headers ?? [])]
    .filter(([name]) => !SET_BY_CURL.has(name.toLowerCase()))
    .flatMap(([name, values]) => values.map((value) => headerArgument(name, value)))
  const body =
    ingress?.payload === undefined || ingress.payload === null ? [] : [`-d ${quoted(JSON.stringify(ingress.payload))}`]
  const method = record.method === 'POST' && body.length > 0 ? [] : [`-X ${quoted(record.method)}`]
  return [`curl -g ${quoted(url)}`, ...method, ...headers, ...body].join(' \\\n  ')
}

function headerArgument(name: string, value: string): string {
  if (!value.includes(MASKED)) return `-H ${quoted(`${name}: ${value}`)}`
  const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
  return `-H ${quoted(`${name}: `)}"$${variable}"`
}

/** Quotes any text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
