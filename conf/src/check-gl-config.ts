import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { decodeFile } from './decode-file.ts'
import { defaultRouters, echoRouter } from './default-routers.ts'
import { expandAll, isDeliveredName, lookUp } from './env-reference.ts'
import { type GlSettings, glSettingsSchema } from './gl-settings.ts'
import { type CheckedRouter, checkRouter } from './router-entry.ts'
import type { References, ValidationErrors } from './types.ts'
import { unknownKeys } from './unknown-keys.ts'

export type CheckedGlConfig = {
  readonly settings: GlSettings
  /** In the file's order; `/echo/` is always there. */
  readonly routers: readonly CheckedRouter[]
  readonly rejectedFields: Readonly<Record<string, string>>
  readonly unknownKeys: readonly string[]
}

export type GlCheck =
  | { readonly kind: 'invalid'; readonly digest: string; readonly validationErrors: ValidationErrors }
  | { readonly kind: 'unfinished'; readonly digest: string; readonly missing: readonly string[] }
  | {
      readonly kind: 'checked'
      readonly digest: string
      readonly fingerprint: string
      readonly config: CheckedGlConfig
    }

/** Checks a gl_config.json: settings as a whole, routers one by one (wire, 1.1). Pure; never throws on any bytes. */
export function checkGlConfig(
  bytes: Uint8Array,
  references: References,
  options: { acceptMissing?: boolean } = {},
): GlCheck {
  const file = decodeFile(bytes)
  if (file.kind === 'broken')
    return { kind: 'invalid', digest: file.digest, validationErrors: { gl_config: file.reason } }
  const { digest, value } = file
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'invalid', digest, validationErrors: { gl_config: 'object:' } }
  }
  const { routers: written = defaultRouters, ...rest } = { ...value } as Record<string, unknown>
  if (!Array.isArray(written)) return { kind: 'invalid', digest, validationErrors: { 'gl_config.routers': 'array:' } }
  const names = new Set<string>()
  const settings = glSettingsSchema.safeParse(expandAll(rest, references, names))
  if (!settings.success) return { kind: 'invalid', digest, validationErrors: errorsOf(settings.error, 'gl_config') }
  const checked = checkRouters(written, references, names)
  const missing = [...names].filter((name) => isDeliveredName(name) && lookUp(name, references) === undefined)
  if (missing.length > 0 && references.secrets !== undefined && options.acceptMissing !== true) {
    return { kind: 'unfinished', digest, missing }
  }
  const config = { settings: settings.data, ...checked, unknownKeys: unknownKeys(rest, settings.data, 'gl_config') }
  return { kind: 'checked', digest, fingerprint: fingerprintOfValue(digest, value, references), config }
}
function checkRouters(written: readonly unknown[], references: References, names: Set<string>) {
  const routers: CheckedRouter[] = []
  const rejected = new Map<string, string>()
  const paths = new Set<string>()
  written.forEach((entry, index) => {
    const check = checkRouter(entry, index, references)
    for (const name of check.names) names.add(name)
    for (const [field, reason] of check.rejected) rejected.set(`gl_config.Routers[${index}].Router.${field}`, reason)
    if (check.router === undefined) return
    if (paths.has(check.router.path)) rejected.set(`gl_config.Routers[${index}].Router.Path`, 'unique:Path')
    else {
      paths.add(check.router.path)
      routers.push(check.router)
    }
  })
  const echo = paths.has('/echo/') ? undefined : checkRouter(echoRouter, written.length, references).router
  if (echo !== undefined) routers.push(echo)
  return { routers, rejectedFields: Object.fromEntries(rejected) }
}

export function errorsOf(error: z.ZodError, root: string): ValidationErrors {
  return Object.fromEntries(
    error.issues.map((issue) => [
      issue.path.reduce<string>(
        (at, part) => (typeof part === 'number' ? `${at}[${part}]` : `${at}.${String(part)}`),
        root,
      ),
      issue.message,
    ]),
  )
}

/** The reload criterion: the file's bytes and every value it refers to. Never logged. */
function fingerprintOfValue(digest: string, value: unknown, references: References): string {
  const names = new Set<string>()
  expandAll(value, references, names)
  const hash = createHash('sha256').update(digest)
  for (const name of [...names].sort()) hash.update(JSON.stringify([name, lookUp(name, references) ?? null]))
  return hash.digest('hex')
}

/** The fingerprint of a file without judging it: its digest for what can't be parsed. */
export function fingerprintOf(bytes: Uint8Array, references: References): string {
  const file = decodeFile(bytes)
  return file.kind === 'broken' ? file.digest : fingerprintOfValue(file.digest, file.value, references)
}
