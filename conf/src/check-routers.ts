import { checkRouter } from './check-router.ts'
import { echoRouter } from './default-routers.ts'
import type { References } from './env-reference.ts'
import type { CheckedRouter } from './router-entry.ts'
import type { FieldPath, RejectedField } from './router-fields.ts'
import { MAX_KEYS } from './unknown-keys.ts'

/**
 * The largest size of all routers together: the characters of their texts with expanded references, and some hundred for
 * each router and each header. A reload of that size takes the gateway 220 MB, because it holds the running
 * configuration and, in several forms, the next one.
 */
export const MAX_ROUTERS_SIZE = 32 * 1024 * 1024

export type RoutersCheck = {
  /** In the file's order; `/echo/` is always included. */
  readonly routers: readonly CheckedRouter[]
  /** Field, `gl_config.Routers[0].Router.Outbound.Headers[Api-Key][0]` → reason. */
  readonly rejectedFields: Readonly<Record<string, string>>
  /** Index in the file → the rejected fields of that router. */
  readonly rejections: ReadonlyMap<number, readonly RejectedField[]>
  /** The indexes of entries with a rejected field, including entries whose path is invalid or taken. */
  readonly rejectedRouters: readonly number[]
  readonly unknownKeys: readonly string[]
  readonly referencedNames: ReadonlySet<string>
  /** Index in the file → the router's part in the size of all routers. */
  readonly sizes: readonly number[]
  /** True where the routers exceed MAX_ROUTERS_SIZE; the remaining routers weren't checked then. */
  readonly tooLarge: boolean
}

/**
 * Checks each router alone: a bad router is left out, the others load. Of two routers with one path the first counts
 * (docs/reference/configuration-rules.md#rejection).
 */
export function checkRouters(written: readonly unknown[], references: References): RoutersCheck {
  const routers = new Map<string, CheckedRouter>()
  const rejections = new Map<number, readonly RejectedField[]>()
  const unknownKeys: string[] = []
  const names = new Set<string>()
  const sizes: number[] = []
  let size = 0
  for (const [index, entry] of written.entries()) {
    const check = checkRouter(entry, index, references)
    const { router } = check
    const isDuplicate = router !== undefined && routers.has(router.path)
    const rejected = isDuplicate ? [...check.rejected, { path: ['path'], reason: 'unique:Path' }] : check.rejected
    if (rejected.length > 0) rejections.set(index, rejected)
    for (const name of check.referencedNames) names.add(name)
    if (unknownKeys.length < MAX_KEYS) unknownKeys.push(...check.unknownKeys)
    if (router !== undefined && !isDuplicate) routers.set(router.path, router)
    sizes.push(check.size)
    size += check.size
    if (size > MAX_ROUTERS_SIZE) break
  }
  const echo = routers.has(echoRouter.path) ? undefined : checkRouter(echoRouter, written.length, references).router
  if (echo !== undefined) routers.set(echo.path, echo)
  const rejectedRouters = [...rejections.keys()]
  return {
    routers: [...routers.values()],
    rejectedFields: fieldsIn(rejections),
    rejections,
    rejectedRouters,
    unknownKeys,
    referencedNames: names,
    sizes,
    tooLarge: size > MAX_ROUTERS_SIZE,
  }
}

function fieldsIn(rejections: RoutersCheck['rejections']): Readonly<Record<string, string>> {
  const fields = [...rejections].flatMap(([index, rejected]) =>
    rejected.map(({ path, reason }) => [`gl_config.Routers[${index}].Router.${shownField(path)}`, reason] as const),
  )
  return Object.fromEntries(fields)
}

/** Returns a text such as `Outbound.Headers[Api-Key][0]`. */
function shownField(path: FieldPath): string {
  const names = path.slice(0, 2).map((key) => `${key}`.replace(/^./, (first) => first.toUpperCase()))
  const keys = path.slice(2).map((key) => `[${key}]`)
  return [names.join('.'), ...keys].join('')
}
