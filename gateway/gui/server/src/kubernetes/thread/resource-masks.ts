import { MASKED } from '@llm-gateway/gui-api'
import { isObject, listAt, textAt, valueAt } from '@llm-gateway/kube'
import { secretNames } from '../../files/masks.ts'
import {
  joinParts,
  maskParts,
  type SecretNames,
  type SplitText,
  secretParts,
  staysHidden,
} from '../../files/secret-parts.ts'

type Path = readonly (string | number)[]

/** A value without its secrets, and their paths. */
export type MaskedValue = { readonly value: unknown; readonly paths: readonly string[] }

export type FilledValue =
  | { readonly kind: 'filled'; readonly value: unknown; readonly secrets: readonly string[] }
  /** A mask stands where the stored resource has no secret. */
  | { readonly kind: 'nowhere'; readonly paths: readonly string[] }

/** Matches keys of well-known services in variables of any name. */
const LOOKS_SECRET =
  /^(sk-|sk_|ghp_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|eyJ[\w-]+\.eyJ)|-----BEGIN [A-Z ]*PRIVATE KEY/

/**
 * Returns the headers and parameters whose literals are never shown: the gateway's defaults and those of the
 * LLMGateway.
 */
export function namesOfSecrets(maskedHeaders: readonly string[]): SecretNames {
  return secretNames([JSON.stringify({ masked_headers: maskedHeaders })])
}

/** Masks the secrets of a resource. */
export function maskResource(value: unknown, names: SecretNames): MaskedValue {
  const paths: string[] = []
  const shown = mapStrings(value, (text, path, under) => {
    const split = splitAt(text, { path, under, names })
    if (split.parts.length === 0) return text
    paths.push(pathText(path))
    return maskParts(split)
  })
  return { value: shown, paths }
}

/**
 * Puts secrets back in place of their masks, each from the same field of the stored resource only. Keys that are sent
 * come back only while the address is unchanged.
 */
export function fillResource(value: unknown, stored: unknown, names: SecretNames): FilledValue {
  const secrets: string[] = []
  const nowhere: string[] = []
  const sameAddress = addressOf(value) === addressOf(stored)
  const filled = mapStrings(value, (text, path, under) => {
    const texts = text.split(MASKED)
    if (texts.length === 1) return text
    const old = valueIn(stored, path, under)
    const place = { path, under, names }
    const { parts } = typeof old === 'string' ? splitAt(old, place) : { parts: [] }
    const split = { texts, parts }
    const isSent = path[0] === 'spec' && path[1] === 'outbound'
    const fits = parts.length === texts.length - 1 && staysHiddenAt(split, place) && (sameAddress || !isSent)
    if (!fits) {
      nowhere.push(pathText(path))
      return text
    }
    secrets.push(...parts)
    return joinParts(split)
  })
  return nowhere.length > 0
    ? { kind: 'nowhere', paths: nowhere.slice(0, MOST_PATHS) }
    : { kind: 'filled', value: filled, secrets }
}

/** Returns the secret literals of a Router's spec. */
export function secretsOf(spec: unknown, names: SecretNames): readonly string[] {
  const secrets: string[] = []
  mapStrings({ spec }, (text, path, under) => {
    secrets.push(...splitAt(text, { path, under, names }).parts)
    return text
  })
  return secrets
}

/** Returns the places of masks. */
export function maskPlaces(value: unknown): readonly string[] {
  const paths: string[] = []
  mapStrings(value, (text, path) => {
    if (text.includes(MASKED)) paths.push(pathText(path))
    return text
  })
  return paths.slice(0, MOST_PATHS)
}

const MOST_PATHS = 100

type TextPlace = { readonly path: Path; readonly under: Path; readonly names: SecretNames }

function splitAt(text: string, { path, under, names }: TextPlace): SplitText {
  if (isVariable(path) && LOOKS_SECRET.test(text)) return { texts: ['', ''], parts: [text] }
  // Elsewhere the names of fields tell nothing: `secretKeyRef.key` names a key and `auth` a method. Addresses are
  // searched everywhere.
  return secretParts(isFree(under) ? [...under] : ['address'], text, names)
}

/** Returns whether people choose the names at this place. */
function isFree(under: Path): boolean {
  if (under.some((key) => typeof key === 'string' && key.endsWith('KeyRef'))) return false
  return under.includes('headers') || under.includes('env') || under.includes('sharedEnv') || under[2] === 'config'
}

function staysHiddenAt(split: SplitText, place: TextPlace): boolean {
  if (splitAt(joinParts(split), place).parts.length > 0 && isVariable(place.path)) return true
  return staysHidden(split, isFree(place.under) ? [...place.under] : ['address'], place.names)
}

function isVariable(path: Path): boolean {
  return path.at(-1) === 'value'
}

type Mapper = (text: string, path: Path, under: Path) => string

/** Maps all texts of a value. In `under` the name of a variable replaces its index and the key `value`. */
function mapStrings(value: unknown, map: Mapper, path: Path = [], under: Path = []): unknown {
  if (typeof value === 'string') return map(value, path, under)
  if (Array.isArray(value))
    return value.map((item, index) =>
      mapStrings(item, map, [...path, index], [...under, textAt(item, 'name') ?? index]),
    )
  if (!isObject(value)) return value
  const isEntry = typeof value.name === 'string' && typeof path.at(-1) === 'number'
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    mapStrings(item, map, [...path, key], isEntry && key === 'value' ? under : [...under, key]),
  ])
  return Object.fromEntries(entries)
}

/** Returns the value at the same place of another resource. Named entries of lists are found by their names. */
function valueIn(stored: unknown, path: Path, under: Path): unknown {
  let at = stored
  for (const [index, key] of path.entries()) {
    if (typeof key === 'string') at = valueAt(at, key)
    else {
      const name = under[index]
      const list: readonly unknown[] = Array.isArray(at) ? at : []
      at = typeof name === 'string' ? list.find((item) => textAt(item, 'name') === name) : list[key]
    }
  }
  return at
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Returns the address of a Router's calls: its origin, or the URL with the entries of the variables in it. */
function addressOf(resource: unknown): string {
  const url = textAt(resource, 'spec', 'outbound', 'url') ?? ''
  const names = new Set([...url.matchAll(REFERENCE)].map(([, name]) => name))
  if (names.size === 0) return URL.parse(url)?.origin ?? url
  const entries = listAt(resource, 'spec', 'env').filter((entry) => names.has(textAt(entry, 'name')))
  return JSON.stringify([url, entries])
}

/** Formats a path like the API server: `.spec.outbound.headers.Api-Key[0]`. */
function pathText(path: Path): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
}
