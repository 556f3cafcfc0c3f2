import { checkRouters, type RoutersCheck } from './check-routers.ts'
import { fingerprint } from './check-with-schema.ts'
import { decodeFile } from './decode-file.ts'
import { withDefaultReferences } from './default-references.ts'
import { defaultRouters } from './default-routers.ts'
import {
  collectReferencedNames,
  expandAll,
  isDeliveredName,
  isReservedName,
  lookUp,
  type References,
  referencedNames,
} from './env-reference.ts'
import { type GlSettings, glSettingsSchema } from './gl-settings.ts'
import { isObject } from './json-object.ts'
import { areTooLarge } from './processor-entry.ts'
import { shortName } from './short-name.ts'
import { MAX_KEYS, unknownKeys } from './unknown-keys.ts'
import { MAX_ERRORS, type ValidationErrors, validationErrors } from './validation-errors.ts'

export type CheckedGlConfig = Pick<RoutersCheck, 'routers' | 'rejectedFields' | 'rejectedRouters'> & {
  readonly settings: GlSettings
  /** Paths of unknown keys, for one WARN line. */
  readonly unknownKeys: readonly string[]
}

export type GlConfigCheck =
  | { readonly kind: 'invalid'; readonly digest: string; readonly validationErrors: ValidationErrors }
  /** Values of the delivery are still missing: `V_` names without a file in SECRETS_DIR. */
  | { readonly kind: 'unfinished'; readonly digest: string; readonly missing: readonly string[] }
  | { readonly kind: 'checked'; readonly digest: string; readonly config: CheckedGlConfig }

/** A file that is parsed and not checked yet. */
export type ParsedGlConfig = {
  /** The digest of the JSON's bytes: `sha256:…`. */
  readonly digest: string
  /** Differs when the bytes or a referenced value differ; equals the digest where the file isn't JSON. */
  readonly fingerprint: string
  /** Checks the settings as a whole and the routers one by one (docs/reference/configuration-rules.md#rejection). */
  check(options?: CheckOptions): GlConfigCheck
}

export type CheckOptions = { readonly acceptMissing?: boolean }

const ROOT = 'gl_config'
/**
 * The most characters of the settings as JSON without the rows of processors, which the gateway's main thread handles
 * in one step.
 */
const MAX_SETTINGS_CHARACTERS = 1024 * 1024
const MAX_MISSING_NAMES = 10_000

/**
 * Checks a gl_config.json. Pure; any bytes have a result. `validationErrors` and `unknownKeys` have the path in the
 * file as key, `gl_config.limits.drain_ms`.
 */
export function checkGlConfig(bytes: Uint8Array, references: References, options: CheckOptions = {}): GlConfigCheck {
  return parseGlConfig(bytes, references).check(options)
}

/** @param memoryBytes the most memory of the parsed file; `size:` where it would take more */
export function parseGlConfig(bytes: Uint8Array, references: References, memoryBytes?: number): ParsedGlConfig {
  const file = decodeFile(bytes, memoryBytes)
  const { digest } = file
  const broken = (path: string, reason: string): ParsedGlConfig => {
    return { digest, fingerprint: digest, check: () => invalid(digest, { [path]: reason }) }
  }
  if (file.kind === 'broken') return broken(ROOT, file.reason)
  if (!isObject(file.value)) return broken(ROOT, 'type:object')
  const parts = partsOf(file.value)
  const names = new Set<string>()
  collectReferencedNames(parts.settings, names)
  collectReferencedNames(parts.routers, names)
  return {
    digest,
    fingerprint: fingerprint(digest, names, references),
    check: (options = {}) => checkParts(parts, { digest, references, options }),
  }
}

type Parts = { readonly settings: unknown; readonly routers: unknown; readonly unknown: readonly string[] }

/** Unknown keys are named and left out, since there may be millions. */
function partsOf(value: Readonly<Record<string, unknown>>): Parts {
  const { routers = defaultRouters } = value
  const keys = Object.keys(glSettingsSchema.shape)
  const unknown = unknownKeys(value, Object.fromEntries([...keys, 'routers'].map((key) => [key, null])), ROOT)
  const written = Object.fromEntries(keys.filter((key) => Object.hasOwn(value, key)).map((key) => [key, value[key]]))
  return { settings: withDefaultReferences(written, glSettingsSchema), routers, unknown }
}

type CheckContext = {
  readonly digest: string
  readonly references: References
  readonly options: CheckOptions
}

function checkParts(parts: Parts, { digest, references, options }: CheckContext): GlConfigCheck {
  const { settings, routers, unknown } = parts
  if (!Array.isArray(routers)) return invalid(digest, { [`${ROOT}.routers`]: 'type:array' })
  const reserved = reservedReferences(settings, ROOT)
  if (Object.keys(reserved).length > 0) return invalid(digest, reserved)
  const parsed = glSettingsSchema.safeParse(expandAll(settings, references), { reportInput: true })
  if (!parsed.success) return invalid(digest, validationErrors(parsed.error, ROOT))
  const excess = tooLargeParts(parsed.data)
  if (excess.length > 0) return invalid(digest, Object.fromEntries(excess.map((path) => [path, 'size:'])))
  const {
    referencedNames: names,
    tooLarge,
    unknownKeys: unknownInRouters,
    routers: checkedRouters,
    rejectedFields,
    rejectedRouters,
  } = checkRouters(routers, references)
  if (tooLarge) return invalid(digest, { [`${ROOT}.routers`]: 'size:' })
  const checked = { settings: parsed.data, routers: checkedRouters, rejectedFields, rejectedRouters }
  const missing = options.acceptMissing === true ? [] : missingValues(settings, names, references)
  if (missing.length > 0) return { kind: 'unfinished', digest, missing }
  const keys = [...unknown, ...unknownKeys(settings, parsed.data, ROOT), ...unknownInRouters].slice(0, MAX_KEYS)
  return { kind: 'checked', digest, config: { ...checked, unknownKeys: keys } }
}

function invalid(digest: string, errors: ValidationErrors): GlConfigCheck {
  return { kind: 'invalid', digest, validationErrors: errors }
}

/** Returns the paths of the parts that are larger than the gateway takes. */
function tooLargeParts({ request, response, ...settings }: GlSettings): readonly string[] {
  if (JSON.stringify(settings).length > MAX_SETTINGS_CHARACTERS) return [ROOT]
  const isTooLarge = areTooLarge([...request.processors, ...response.processors])
  return isTooLarge ? [`${ROOT}.request.processors`, `${ROOT}.response.processors`] : []
}

function missingValues(settings: unknown, routerNames: ReadonlySet<string>, references: References): readonly string[] {
  if (references.secrets === undefined) return []
  const names = new Set(routerNames)
  collectReferencedNames(settings, names)
  const missing = [...names].filter((name) => isDeliveredName(name) && lookUp(name, references) === undefined)
  return missing.sort().slice(0, MAX_MISSING_NAMES)
}

/**
 * Returns the first places in the processors of a gl_config.json that refer to NATS_TOKEN or GUI_SECRET, which
 * processors must not get (docs/reference/configuration-rules.md#references).
 */
function reservedReferences(settings: unknown, root: string): ValidationErrors {
  if (!isObject(settings)) return {}
  const { request, response } = settings
  const reserved: [place: string, reason: string][] = []
  for (const place of reservedIn({ request, response }, root)) {
    reserved.push([shortName(place), 'reserved:'])
    if (reserved.length === MAX_ERRORS) break
  }
  return Object.fromEntries(reserved)
}

function* reservedIn(value: unknown, at: string): Generator<string> {
  if (typeof value === 'string') {
    if (referencedNames(value).some(isReservedName)) yield at
  } else if (Array.isArray(value)) {
    for (const [i, entry] of value.entries()) yield* reservedIn(entry, `${at}[${i}]`)
  } else if (isObject(value)) {
    for (const [key, entry] of Object.entries(value)) yield* reservedIn(entry, `${at}.${key}`)
  }
}
