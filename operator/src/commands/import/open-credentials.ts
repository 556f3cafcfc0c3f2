import { isObject, listAt, valueAt } from '@llm-gateway/kube'

const SIDES = ['ingress', 'outbound'] as const
/** What may stand openly: references, the scheme before them, and the demand for any value. */
const OPEN = /^regex:\.\+$|\$\{?[A-Za-z_][A-Za-z0-9_]*\}?|^(Bearer|Basic|Token) +/gi

/** `outbound.headers[Authorization]`: masked headers of an entry with a text of their own, which looks like a key. */
export function openCredentials(entry: unknown, masked: ReadonlySet<string>): readonly string[] {
  return SIDES.flatMap((side) => {
    const headers = valueAt(entry, side, 'headers')
    return Object.keys(isObject(headers) ? headers : {})
      .filter((name) => masked.has(name.toLowerCase()))
      .filter((name) => listAt(headers, name).some((value) => String(value).replaceAll(OPEN, '').trim() !== ''))
      .map((name) => `${side}.headers[${name}]`)
  })
}
