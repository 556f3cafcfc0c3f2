import { isObject, listAt, valueAt } from '@llm-gateway/kube'

const SIDES = ['ingress', 'outbound'] as const
/** Texts of a masked header that are no secrets: references, the scheme before them, and the demand for any value. */
const OPEN = /^regex:\.\+$|\$\{?[A-Za-z_][A-Za-z0-9_]*\}?|^(Bearer|Basic|Token) +/gi

/** Names the masked headers of an entry whose text is no reference and may be a key: `outbound.headers[Authorization]`. */
export function openCredentials(entry: unknown, masked: ReadonlySet<string>): readonly string[] {
  return SIDES.flatMap((side) => {
    const headers = valueAt(entry, side, 'headers')
    return Object.keys(isObject(headers) ? headers : {})
      .filter((name) => masked.has(name.toLowerCase()))
      .filter((name) => listAt(headers, name).some((value) => String(value).replaceAll(OPEN, '').trim() !== ''))
      .map((name) => `${side}.headers[${name}]`)
  })
}
