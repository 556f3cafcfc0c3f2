/** One query parameter: as it stands in the query, and decoded. */
export type QueryParameter = { readonly raw: string; readonly name: string; readonly value: string }

/**
 * Splits a raw query (without `?`) at `&`, keeping each parameter's own text so that what nobody changed leaves as
 * it came. Empty segments are dropped; a broken escape stays as it is written.
 */
export function parseQuery(query: string): readonly QueryParameter[] {
  if (query === '') return []
  const parameters: QueryParameter[] = []
  for (const raw of query.split('&')) {
    if (raw === '') continue
    const at = raw.indexOf('=')
    const name = at === -1 ? raw : raw.slice(0, at)
    parameters.push({ raw, name: decode(name), value: at === -1 ? '' : decode(raw.slice(at + 1)) })
  }
  return parameters
}

/** The parameter `name=value`, encoded. */
export function queryParameter(name: string, value: string): QueryParameter {
  return { raw: `${encodeURIComponent(name)}=${encodeURIComponent(value)}`, name, value }
}

/** The parameters as a raw query without `?`. */
export function queryText(parameters: readonly QueryParameter[]): string {
  return parameters.map((parameter) => parameter.raw).join('&')
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
