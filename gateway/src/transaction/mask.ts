import { MASKED } from '@llm-gateway/protocol'
import type { RuntimeConfig } from '../config/runtime-config.ts'
import type { HeaderMap } from '../http/headers.ts'
import { type QueryParameter, queryText } from '../http/query.ts'
import { quote } from '../json/quote.ts'

/**
 * The names of headers and parameters whose values are masked in records, messages to processors and log lines: the
 * configured names, and those that routers fill from references (docs/reference/record.md#masks).
 */
export class Mask {
  readonly #runtime: RuntimeConfig

  constructor(runtime: RuntimeConfig) {
    this.#runtime = runtime
  }

  masksHeader(lower: string): boolean {
    return this.#runtime.secretHeaders.has(lower)
  }

  masksParameter(name: string): boolean {
    return this.#runtime.secretQueryParameters.has(name.toLowerCase())
  }

  /** Returns the name under which a masked parameter is shown. */
  shownParameter(name: string): string {
    return this.#runtime.hiddenQueryParameters.has(name.toLowerCase()) ? MASKED : name
  }
}

const maskedValue = `"${MASKED}"`
/** The characters of a long text; a usual map of headers has some 800. */
const LONG_TEXT = 4 * 1024

/** Returns headers as a JSON map name → array of strings, without the header named `hidden`. */
export function headersJson(headers: HeaderMap, mask: Mask, hidden?: string): string {
  let text = ''
  for (const header of headers.values()) {
    if (header.lower === hidden) continue
    if (text !== '') text += ','
    text += mask.masksHeader(header.lower) ? `${quote(header.canonical)}:[${maskedValue}]` : header.json
  }
  return enclosed('{', text, '}')
}

/** The values of each parameter's name, as JSON strings that are joined by commas; masked. */
export type ParameterGroups = ReadonlyMap<string, string>

const noGroups: ParameterGroups = new Map()

/**
 * Groups parameters by name for the two forms of a record. A query may have 20,000 parameters, so that texts are made
 * without an array for each name.
 */
export function groupParameters(parameters: readonly QueryParameter[], mask: Mask): ParameterGroups {
  if (parameters.length === 0) return noGroups
  const groups = new Map<string, string>()
  for (const { name, value } of parameters) {
    const values = groups.get(name)
    if (mask.masksParameter(name)) groups.set(mask.shownParameter(name), maskedValue)
    else groups.set(name, values === undefined ? quote(value) : `${values},${quote(value)}`)
  }
  return groups
}

/** Returns parameters as a JSON array `[{name, details: values}]`. */
export function namedParametersJson(groups: ParameterGroups): string {
  let text = ''
  for (const [name, values] of groups) text += `${text === '' ? '' : ','}{"name":${quote(name)},"details":[${values}]}`
  return enclosed('[', text, ']')
}

/** Returns parameters as a JSON map name → values. */
export function parameterMapJson(groups: ParameterGroups): string {
  let text = ''
  for (const [name, values] of groups) text += `${text === '' ? '' : ','}${quote(name)}:[${values}]`
  return enclosed('{', text, '}')
}

/**
 * Returns a text in brackets. A text that grew by `+=` keeps an object for each addition, up to seven times its own memory,
 * as long as processors work on the call. A join copies a long text to one piece.
 */
function enclosed(open: '{' | '[', text: string, close: '}' | ']'): string {
  return text.length < LONG_TEXT ? `${open}${text}${close}` : [open, text, close].join('')
}

/** Returns a raw query with masked values and hidden names replaced. */
export function maskedQuery(parameters: readonly QueryParameter[], mask: Mask): string {
  if (!parameters.some((parameter) => mask.masksParameter(parameter.name))) return queryText(parameters)
  return parameters
    .map((parameter) => (mask.masksParameter(parameter.name) ? maskedText(parameter.name, mask) : parameter.raw))
    .join('&')
}

function maskedText(name: string, mask: Mask): string {
  const shown = mask.shownParameter(name)
  return `${shown === name ? encodeURIComponent(name) : shown}=${MASKED}`
}
