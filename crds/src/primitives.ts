import { z } from 'zod'

type Rule = {
  readonly rule: string
  readonly message: string
  /** How the API server calls it; Invalid when left out. */
  readonly reason?: 'FieldValueForbidden' | 'FieldValueRequired'
  /** The field that is to blame, below the one that carries the rule. */
  readonly fieldPath?: string
}

/** CEL rules that the API server judges a value by. */
export function cel(...rules: readonly Rule[]): { readonly 'x-kubernetes-validations': readonly Rule[] } {
  return { 'x-kubernetes-validations': rules }
}

export const IMMUTABLE = { rule: 'self == oldSelf', message: 'is immutable' }

/** At most this many characters; every text of ours has a bound. */
export function text(most: number) {
  return z.string().max(most)
}

/** A DNS label of at most 63 characters, as namespaces have. */
export const label = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)

/** A DNS subdomain, as Secrets and ConfigMaps have. */
export const subdomain = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)

export const variableName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)

/**
 * No leading underscore: `__proto__` would vanish on its way through a JavaScript object, and its check with it. No `$`:
 * the gateway would take it for a reference.
 */
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9!#%&'*+.^_`|~-]*$/
export const headerName = z.string().min(1).max(128).regex(HEADER_NAME)

/** Keys of a map have no schema of their own in a CRD. */
export const HEADER_NAMES = {
  rule: "self.all(name, name.size() <= 128 && name.matches('^[A-Za-z0-9][A-Za-z0-9!#%&\\'*+.^_`|~-]*$'))",
  message: 'every key must be the name of a header',
}

/** A first-level field of the record. */
export const fieldName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z0-9_]+$/)

/** Nothing but `${NAME}`: a secret doesn't stand in a resource. */
export const referenceOnly = z
  .string()
  .max(131)
  .regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/)

/** A size or an amount as Kubernetes writes it. */
export const quantity = z
  .string()
  .min(1)
  .max(32)
  .regex(/^[0-9]+(\.[0-9]+)?([KMGTPE]i|[mkMGTPE])?$/)

/** Whole, replaced as a whole. */
export function atomicList<T extends z.ZodType>(item: T, most: number) {
  return z.array(item).max(most).meta({ 'x-kubernetes-list-type': 'atomic' })
}

/** Each value once. */
export function setList<T extends z.ZodType>(item: T, most: number) {
  return z.array(item).max(most).meta({ 'x-kubernetes-list-type': 'set' })
}

/** Each key once: entries merge by it. */
export function mapList<T extends z.ZodType>(item: T, key: string, most: number) {
  return z
    .array(item)
    .max(most)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] })
}

/** Keys of a map have no schema of their own; a label's key has a name of 63 characters behind a prefix of 253. */
export const SHORT_KEYS = {
  rule: 'self.all(key, key.size() <= 317)',
  message: 'every key may have at most 317 characters',
}

/** Text → text with bounds on both. */
export function textMap(most: { readonly entries: number; readonly characters: number }) {
  return z.record(z.string(), text(most.characters)).meta({ maxProperties: most.entries, ...cel(SHORT_KEYS) })
}
