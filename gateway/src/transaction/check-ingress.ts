import { timingSafeEqual } from 'node:crypto'
import type { HeaderCheck, Route } from '../config/runtime-config.ts'
import type { ErrorCode } from '../errors.ts'
import type { HeaderMap } from '../http/headers.ts'

declare const permitted: unique symbol
/** Proof that a request passed its router's ingress check; the gateway sends nothing upstream without a permit. */
export type Permit = { readonly [permitted]: true }

export type Refusal = { readonly kind: 'refused'; readonly code: ErrorCode; readonly message?: string }
export type Admission = { readonly kind: 'admitted'; readonly permit: Permit } | Refusal

/**
 * Checks a request's headers against its router's `ingress.headers`
 * (docs/reference/configuration-rules.md#routers-in-the-file). Equal headers have the same values in the same order;
 * the comparison takes constant time. A request without a body needs no Content-Type.
 */
export function checkIngress(route: Route, headers: HeaderMap, hasBody: boolean): Admission {
  for (const check of route.ingress) {
    if (check.lower === 'content-type' && !hasBody) continue
    const values = headers.get(check.lower)?.values
    const message = `The header ${check.canonical} is required.`
    if (values === undefined) return { kind: 'refused', code: 'INGRESS_HEADER_MISSING', message }
    if (!passes(check, values)) {
      return { kind: 'refused', code: 'INGRESS_HEADER_INVALID', message: `The header ${check.canonical} is not valid.` }
    }
  }
  return { kind: 'admitted', permit: grant() }
}

function passes(check: HeaderCheck, values: readonly string[]): boolean {
  switch (check.kind) {
    case 'present':
      return values.some((value) => value !== '')
    case 'media-type':
      return values.length === check.values.length && values.every((value, i) => sameMediaType(value, check.values[i]))
    case 'equal':
      return equalInConstantTime(values.join('\n'), check.text)
    default:
      return check satisfies never
  }
}

/** Compares type/subtype without parameters such as charset=utf-8. */
function sameMediaType(value: string, expected: string | undefined): boolean {
  return essence(value) === essence(expected ?? '')
}

function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/**
 * The time depends only on the caller's own length: a value of another length is compared with itself. So a refused call
 * doesn't pay for a long expected value.
 */
function equalInConstantTime(actual: string, expected: string): boolean {
  const bytes = Buffer.from(actual, 'latin1')
  const hasLength = actual.length === expected.length
  return timingSafeEqual(bytes, Buffer.from(hasLength ? expected : actual, 'latin1')) && hasLength
}

/** The only constructor of a permit. */
function grant(): Permit {
  return Object.freeze({}) as Permit
}
