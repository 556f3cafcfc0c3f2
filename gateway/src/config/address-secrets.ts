import type { ActiveRouter } from '@llm-gateway/conf'
import { decodeParameter } from '../http/query.ts'
import type { RouteTarget } from './runtime-config.ts'

type Address = Pick<RouteTarget, 'urlPath' | 'shownUrlPath' | 'endpointPath' | 'shownEndpointPath' | 'query'> & {
  /** The names of `masked_query_parameters` in lower case. */
  readonly maskedParameters: ReadonlySet<string>
}

/**
 * Returns the texts of a router's address that nobody may see: the segments with a reference, and the parameters that the
 * router fills from references or whose names are masked. Each is there as it is sent and decoded, the longest first.
 */
export function addressSecrets(
  filled: ActiveRouter['outbound']['filledParameters'],
  { urlPath, shownUrlPath, endpointPath = '', shownEndpointPath = '', query, maskedParameters }: Address,
): readonly string[] {
  const shown = new Set(`${shownUrlPath}/${shownEndpointPath}`.split('/'))
  const hidden = `${urlPath}/${endpointPath}`.split('/').filter((segment) => !shown.has(segment))
  const secrets = new Set(hidden.flatMap((segment) => [segment, decodeParameter(segment)]))
  const names = new Map(filled.map(({ rawName, isNameFilled }) => [decodeParameter(rawName), isNameFilled]))
  for (const { raw, name, value } of query) {
    if (!names.has(name) && !maskedParameters.has(name.toLowerCase())) continue
    if (names.get(name) === true && !maskedParameters.has(name.toLowerCase())) secrets.add(name)
    const sent = raw.replace(/^&+|&+$/g, '')
    for (const form of [value, value.replaceAll(' ', '+'), sent.slice(sent.indexOf('=') + 1)]) secrets.add(form)
  }
  secrets.delete('')
  return [...secrets].sort((one, other) => other.length - one.length)
}
