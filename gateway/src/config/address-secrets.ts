import type { ActiveRouter } from '@llm-gateway/conf'
import { decodeParameter } from '../http/query.ts'
import type { RouteTarget } from './runtime-config.ts'

type Address = Pick<RouteTarget, 'urlPath' | 'shownUrlPath' | 'endpointPath' | 'shownEndpointPath' | 'query'> & {
  /** The names of `masked_query_parameters` in lower case. */
  readonly maskedParameters: ReadonlySet<string>
}

/** An address is masked as a whole for a router with more secrets: a search for each of them in 8 KiB takes long. */
export const MOST_ADDRESS_SECRETS = 48

/**
 * Returns the texts of a router's address that nobody may see: the segments with a reference, and the parameters that the
 * router fills from references or whose names are masked. Each is there as it is sent and decoded, the longest first.
 * Of more than `MOST_ADDRESS_SECRETS` only so many are returned that there are too many: 4,000 segments of a reference
 * took 130 KB.
 */
export function addressSecrets(
  filled: ActiveRouter['outbound']['filledParameters'],
  { urlPath, shownUrlPath, endpointPath = '', shownEndpointPath = '', query, maskedParameters }: Address,
): readonly string[] {
  const secrets = new Set<string>()
  for (const secret of allSecrets()) {
    if (secret !== '') secrets.add(secret)
    if (secrets.size > MOST_ADDRESS_SECRETS) break
  }
  return [...secrets].sort((one, other) => other.length - one.length)

  function* allSecrets(): Iterable<string> {
    const shown = new Set(`${shownUrlPath}/${shownEndpointPath}`.split('/'))
    for (const segment of `${urlPath}/${endpointPath}`.split('/')) {
      if (!shown.has(segment)) yield* [segment, decodeParameter(segment)]
    }
    const names = new Map(filled.map(({ rawName, isNameFilled }) => [decodeParameter(rawName), isNameFilled]))
    for (const { raw, name, value } of query) {
      const isMasked = maskedParameters.has(name.toLowerCase())
      if (!names.has(name) && !isMasked) continue
      if (names.get(name) === true && !isMasked) yield name
      const sent = raw.replace(/^&+|&+$/g, '')
      yield* [value, value.replaceAll(' ', '+'), sent.slice(sent.indexOf('=') + 1)]
    }
  }
}
