import { checkRouters, type RoutersCheck } from './check-routers.ts'
import { decodeFile } from './decode-file.ts'
import { withDefaultReferences } from './default-references.ts'
import { defaultRouters } from './default-routers.ts'
import { collectNames, expandAll, isDeliveredName, lookUp } from './env-reference.ts'
import { fingerprint } from './fingerprint.ts'
import { type GlSettings, glSettingsSchema } from './gl-settings.ts'
import { isObject } from './json-object.ts'
import { validationErrors } from './reason.ts'
import { reservedReferences } from './reserved-references.ts'
import type { References, ValidationErrors } from './types.ts'
import { MOST_KEYS, unknownKeys } from './unknown-keys.ts'

export type CheckedGlConfig = Pick<RoutersCheck, 'routers' | 'rejectedFields'> & {
  readonly settings: GlSettings
  /** Paths of keys that nobody reads, for one WARN line. */
  readonly unknownKeys: readonly string[]
}

export type GlCheck =
  | { readonly kind: 'invalid'; readonly digest: string; readonly validationErrors: ValidationErrors }
  /** Values of the delivery are still to come: `V_` names without a file in SECRETS_DIR. */
  | { readonly kind: 'unfinished'; readonly digest: string; readonly missing: readonly string[] }
  | {
      readonly kind: 'checked'
      readonly digest: string
      readonly fingerprint: string
      readonly config: CheckedGlConfig
    }

const ROOT = 'gl_config'

/**
 * Checks a gl_config.json: settings as a whole, routers one by one (wire, 1.1). Pure; any bytes get a verdict.
 * `validationErrors` and `unknownKeys` are keyed by path in the file, `gl_config.limits.drain_ms`.
 */
export function checkGlConfig(
  bytes: Uint8Array,
  references: References,
  options: { acceptMissing?: boolean } = {},
): GlCheck {
  const file = decodeFile(bytes)
  const { digest } = file
  const invalid = (errors: ValidationErrors): GlCheck => ({ kind: 'invalid', digest, validationErrors: errors })
  if (file.kind === 'broken') return invalid({ [ROOT]: file.reason })
  if (!isObject(file.value)) return invalid({ [ROOT]: 'type:object' })
  const { settings, routers } = parts(file.value)
  if (!Array.isArray(routers)) return invalid({ [`${ROOT}.routers`]: 'type:array' })
  const reserved = reservedReferences(settings, ROOT)
  if (Object.keys(reserved).length > 0) return invalid(reserved)
  const parsed = glSettingsSchema.safeParse(expandAll(settings, references), { reportInput: true })
  if (!parsed.success) return invalid(validationErrors(parsed.error, ROOT))
  const { rejectedFields, ...checked } = checkRouters(routers, references)
  const missing = options.acceptMissing === true ? [] : missingValues(settings, checked.names, references)
  if (missing.length > 0) return { kind: 'unfinished', digest, missing }
  const unknown = [...unknownKeys(settings, parsed.data, ROOT), ...checked.unknownKeys].slice(0, MOST_KEYS)
  const config = { settings: parsed.data, routers: checked.routers, rejectedFields, unknownKeys: unknown }
  return { kind: 'checked', digest, fingerprint: fingerprintOfParts(digest, { settings, routers }, references), config }
}

/** The fingerprint that a check of these bytes and values gives, without judging them; the digest for what isn't JSON. */
export function fingerprintOf(bytes: Uint8Array, references: References): string {
  const file = decodeFile(bytes)
  if (file.kind === 'broken' || !isObject(file.value)) return file.digest
  return fingerprintOfParts(file.digest, parts(file.value), references)
}

type Parts = { readonly settings: unknown; readonly routers: unknown }

function parts(value: Readonly<Record<string, unknown>>): Parts {
  const { routers = defaultRouters, ...settings } = value
  return { settings: withDefaultReferences(settings, glSettingsSchema), routers }
}

function fingerprintOfParts(digest: string, { settings, routers }: Parts, references: References): string {
  const names = new Set<string>()
  collectNames(settings, names)
  collectNames(routers, names)
  return fingerprint(digest, names, references)
}

function missingValues(settings: unknown, ofRouters: ReadonlySet<string>, references: References): readonly string[] {
  if (references.secrets === undefined) return []
  const names = new Set(ofRouters)
  collectNames(settings, names)
  return [...names].filter((name) => isDeliveredName(name) && lookUp(name, references) === undefined).sort()
}
