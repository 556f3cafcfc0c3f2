import { expand, isReservedName, lookUp, type References } from './env-reference.ts'
import { FRAMING_NAMES } from './header-name.ts'
import { HOST_AND_PORT } from './outbound-address.ts'
import { TOKEN } from './primitives.ts'
import type { RouterHeader } from './router-entry.ts'
import { shortName } from './short-name.ts'

/** The keys from a router's entry to a field: `['outbound', 'headers', 'Api-Key', 0]`. */
export type FieldPath = readonly (string | number)[]

export type RejectedField = { readonly path: FieldPath; readonly reason: string }

/** Returns the reason why a value is invalid, undefined for a valid value. */
export type ValueCheck = (value: string) => string | undefined

/**
 * The most characters of a router's expanded texts and header names, more than most servers accept as the head of a
 * request. Each call of the router works on all of them in one turn of the event loop.
 */
const MAX_CHARACTERS = 64 * 1024
/** The most names and values of a map of headers. */
const MAX_HEADER_VALUES = 1_000
const MAX_REASONS = 16

/** Reads the fields of one router and collects rejections and referenced names. */
export class RouterFields {
  readonly names = new Set<string>()
  /** The characters of the texts so far, with expanded references. */
  characters = 0
  /** The names and values of headers so far. */
  headerParts = 0
  /** By the JSON of the field's path. */
  readonly #rejected = new Map<string, RejectedField>()
  readonly #references: References

  constructor(references: References) {
    this.#references = references
  }

  /** One element for each rejected field; at most MAX_REASONS. */
  get rejected(): readonly RejectedField[] {
    return [...this.#rejected.values()]
  }

  isRejected(path: FieldPath): boolean {
    return this.#rejected.has(JSON.stringify(path))
  }

  /** Rejects a field. The last reason of a field counts. */
  reject(path: FieldPath, reason: string): void {
    const shown = path.map((key) => (typeof key === 'string' ? shortName(key) : key))
    if (this.#rejected.size < MAX_REASONS || this.isRejected(shown))
      this.#rejected.set(JSON.stringify(shown), { path: shown, reason })
  }

  /**
   * Expands the references of a value; an unset or empty reference rejects the field, whatever else its value contains
   * (docs/reference/configuration-rules.md#rejection).
   */
  text(path: FieldPath, written: string, check: ValueCheck): string {
    const { text, names, tooLong = false } = expand(written, this.#references)
    for (const name of names) this.names.add(name)
    this.characters += text.length
    const fits = !tooLong && this.characters <= MAX_CHARACTERS
    const reason = this.#reasonOf(names) ?? (fits ? check(text) : 'router:')
    if (reason !== undefined) this.reject(path, reason)
    return fits ? text : text.slice(0, MAX_CHARACTERS)
  }

  headers(
    path: FieldPath,
    written: Readonly<Record<string, readonly string[]>>,
    checkName: ValueCheck,
  ): readonly RouterHeader[] {
    const entries = Object.entries(written)
    const parts = entries.reduce((sum, [, values]) => sum + 1 + values.length, 0)
    if (parts > MAX_HEADER_VALUES) {
      this.reject(path, 'router:')
      return []
    }
    this.headerParts += parts
    const seen = new Set<string>()
    return entries.map(([name, values]) => {
      this.characters += name.length
      const at = [...path, name]
      const reason = seen.has(name.toLowerCase()) ? 'router:' : checkName(name)
      seen.add(name.toLowerCase())
      // A header without values would be a check that no request passes, or no check at all.
      if (values.length === 0) this.reject(at, 'required:')
      if (reason !== undefined) this.reject(at, reason)
      const isHost = name.toLowerCase() === 'host'
      if (isHost && values.length > 1) this.reject(at, 'router:')
      const check = isHost ? checkHostValue : checkHeaderValue
      const read = values.map((value, i) => this.text([...at, i], value, check))
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

/** Checks a header's value: visible ASCII and spaces. */
function checkHeaderValue(value: string): string | undefined {
  if (value === '') return 'required:'
  return /^[\x20-\x7e]+$/.test(value) ? undefined : 'ascii:'
}

/** Checks a host or host:port; with several hosts or other text, servers may see different targets (RFC 9112, 3.2). */
function checkHostValue(value: string): string | undefined {
  return checkHeaderValue(value) ?? (HOST_AND_PORT.test(value) ? undefined : 'router:')
}

export function checkHeaderName(name: string): string | undefined {
  return TOKEN.test(name) ? undefined : 'router:'
}

/** Checks a header's name. Framing headers belong to the gateway: a configured one would break every call. */
export function checkOutboundHeaderName(name: string): string | undefined {
  return FRAMING_NAMES.has(name.toLowerCase()) ? 'router:' : checkHeaderName(name)
}
