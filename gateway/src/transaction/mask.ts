import { MASKED } from '@llm-gateway/protocol'
import type { RuntimeConfig } from '../config/runtime-config.ts'
import type { HeaderMap } from '../http/headers.ts'
import { type QueryParameter, queryText } from '../http/query.ts'
import { quote, quoteAll } from '../json/quote.ts'

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
}

const maskedValues = `["${MASKED}"]`

/** Returns headers as a JSON map name → array of strings, without the header named `hidden`. */
export function headersJson(headers: HeaderMap, mask: Mask, hidden?: string): string {
  let text = ''
  for (const header of headers.values()) {
    if (header.lower === hidden) continue
    if (text !== '') text += ','
    text += mask.masksHeader(header.lower) ? `${quote(header.canonical)}:${maskedValues}` : header.json
  }
  return `{${text}}`
}

/** Returns parameters as a JSON array `[{name, details: values}]`. */
export function namedParametersJson(parameters: readonly QueryParameter[], mask: Mask): string {
  const entries = [...groupValues(parameters, mask)]
  return `[${entries.map(([name, values]) => `{"name":${quote(name)},"details":${quoteAll(values)}}`).join(',')}]`
}

/** Returns parameters as a JSON map name → values. */
export function parameterMapJson(parameters: readonly QueryParameter[], mask: Mask): string {
  const entries = [...groupValues(parameters, mask)]
  return `{${entries.map(([name, values]) => `${quote(name)}:${quoteAll(values)}`).join(',')}}`
}

/** Returns a raw query with masked values replaced. */
export function maskedQuery(parameters: readonly QueryParameter[], mask: Mask): string {
  if (!parameters.some((parameter) => mask.masksParameter(parameter.name))) return queryText(parameters)
  return parameters
    .map((parameter) =>
      mask.masksParameter(parameter.name) ? `${encodeURIComponent(parameter.name)}=${MASKED}` : parameter.raw,
    )
    .join('&')
}

function groupValues(parameters: readonly QueryParameter[], mask: Mask): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const { name, value } of parameters) {
    const values = groups.get(name)
    if (mask.masksParameter(name)) groups.set(name, [MASKED])
    else if (values === undefined) groups.set(name, [value])
    else values.push(value)
  }
  return groups
}
