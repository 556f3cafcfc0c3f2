import { expand, isReservedName, lookUp } from './env-reference.ts'
import { FRAMING_NAMES } from './header-name.ts'
import { HOST_AND_PORT } from './outbound-address.ts'
import { TOKEN } from './primitives.ts'
import type { RouterHeader } from './router-entry.ts'
import type { References } from './types.ts'

/** Why a field's value is no good, undefined when it is. */
export type Judge = (value: string) => string | undefined

/** Reads the fields of one router, and remembers what was wrong and what was referred to. */
export class RouterFields {
  /** Field below `Router.` → reason. */
  readonly rejected = new Map<string, string>()
  readonly names = new Set<string>()
  readonly #references: References

  constructor(references: References) {
    this.#references = references
  }

  /** The value with its references put in; any unset or empty one rejects the field, whatever else it holds (wire, 1). */
  text(field: string, written: string, judge: Judge): string {
    const { text, names } = expand(written, this.#references)
    for (const name of names) this.names.add(name)
    const reason = this.#reasonOf(names) ?? judge(text)
    if (reason !== undefined) this.rejected.set(field, reason)
    return text
  }

  headers(
    field: string,
    written: Readonly<Record<string, readonly string[]>>,
    judgeName: Judge,
  ): readonly RouterHeader[] {
    const seen = new Set<string>()
    return Object.entries(written).map(([name, values]) => {
      const at = `${field}[${name}]`
      const reason = seen.has(name.toLowerCase()) ? 'router:' : judgeName(name)
      seen.add(name.toLowerCase())
      // A header without a value would be a check that nothing passes, or no check at all.
      if (values.length === 0) this.rejected.set(at, 'required:')
      if (reason !== undefined) this.rejected.set(at, reason)
      const isHost = name.toLowerCase() === 'host'
      if (isHost && values.length > 1) this.rejected.set(at, 'router:')
      const judge = isHost ? hostValue : headerValue
      const read = values.map((value, i) => this.text(`${at}[${i}]`, value, judge))
      return { name, values: read, secret: values.some((value, i) => this.#isReference(value, read[i])) }
    })
  }

  #reasonOf(names: readonly string[]): string | undefined {
    if (names.some(isReservedName)) return 'reserved:'
    return names.some((name) => (lookUp(name, this.#references) ?? '') === '') ? 'required:' : undefined
  }

  #isReference(written: string, read: string | undefined): boolean {
    return written !== read || expand(written, this.#references).names.length > 0
  }
}

/** Visible ASCII and spaces (wire, 1). */
function headerValue(value: string): string | undefined {
  if (value === '') return 'required:'
  return /^[\x20-\x7e]+$/.test(value) ? undefined : 'ascii:'
}

/** host or host:port: two of them, or another text, would leave a server to guess what is meant (RFC 9112, 3.2). */
function hostValue(value: string): string | undefined {
  return headerValue(value) ?? (HOST_AND_PORT.test(value) ? undefined : 'router:')
}

export function headerName(name: string): string | undefined {
  return TOKEN.test(name) ? undefined : 'router:'
}

/** The names that say where a message ends belong to the gateway: a configured one would break every call. */
export function outboundHeaderName(name: string): string | undefined {
  return FRAMING_NAMES.has(name.toLowerCase()) ? 'router:' : headerName(name)
}
