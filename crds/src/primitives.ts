import { z } from 'zod'

type Rule = {
  readonly rule: string
  readonly message: string
  /** The reason in the API server's answer; unset: Invalid. */
  readonly reason?: 'FieldValueForbidden' | 'FieldValueRequired'
  /** The field at fault, below the field with the rule. */
  readonly fieldPath?: string
}

/** Attaches CEL rules by which the API server judges a value. */
export function cel(...rules: readonly Rule[]): { readonly 'x-kubernetes-validations': readonly Rule[] } {
  return { 'x-kubernetes-validations': rules }
}

export const IMMUTABLE = { rule: 'self == oldSelf', message: 'is immutable' }

/** Makes a text of at most `most` characters, since every text has a bound. */
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
 * No leading underscore: `__proto__` would vanish in a JavaScript object, and its check with it. No `$`, which the
 * gateway would read as a reference.
 */
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9!#%&'*+.^_`|~-]*$/
export const headerName = z.string().min(1).max(128).regex(HEADER_NAME)

/** Keys of a map have no schema of their own in a CRD, so a rule checks them. */
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

/** Only `${NAME}`, so that no secret stands in a resource. */
export const referenceOnly = z
  .string()
  .max(131)
  .regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/)

/** A size or an amount in Kubernetes' form. */
export const quantity = z
  .string()
  .min(1)
  .max(32)
  .regex(/^[0-9]+(\.[0-9]+)?([KMGTPE]i|[mkMGTPE])?$/)

/** Makes a list that an apply replaces as a whole. */
export function atomicList<T extends z.ZodType>(item: T, most: number) {
  return z.array(item).max(most).meta({ 'x-kubernetes-list-type': 'atomic' })
}

/** Makes a list in which each value stands once. */
export function setList<T extends z.ZodType>(item: T, most: number) {
  return z.array(item).max(most).meta({ 'x-kubernetes-list-type': 'set' })
}

/** Makes a list in which each key stands once. An apply merges entries by key. */
export function mapList<T extends z.ZodType>(item: T, key: string, most: number) {
  return z
    .array(item)
    .max(most)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] })
}

/**
 * Keys of a map have no schema of their own. A label's key has a prefix of 253 characters, a slash and a name of 63.
 */
export const SHORT_KEYS = {
  rule: 'self.all(key, key.size() <= 317)',
  message: 'every key may have at most 317 characters',
}

/** Makes a map of texts with bounds on entries and characters. */
export function textMap(most: { readonly entries: number; readonly characters: number }) {
  return z.record(z.string(), text(most.characters)).meta({ maxProperties: most.entries, ...cel(SHORT_KEYS) })
}
