import { checkRouter } from './check-router.ts'
import { LIMIT_BYTES } from './decode-file.ts'
import { echoRouter } from './default-routers.ts'
import { MAX_EXPANDED_CHARACTERS } from './env-reference.ts'
import type { CheckedRouter } from './router-entry.ts'
import type { References } from './types.ts'
import { MAX_KEYS } from './unknown-keys.ts'

/** The most characters of all routers with expanded references. */
const MAX_CHARACTERS = LIMIT_BYTES + MAX_EXPANDED_CHARACTERS

export type RoutersCheck = {
  /** In the file's order; `/echo/` is always included. */
  readonly routers: readonly CheckedRouter[]
  readonly rejectedFields: Readonly<Record<string, string>>
  /** Index in the file → field, `Outbound.Url` → reason. */
  readonly rejections: ReadonlyMap<number, ReadonlyMap<string, string>>
  /** The indexes of entries with a rejected field, including entries whose path is invalid or taken. */
  readonly rejectedRouters: readonly number[]
  readonly unknownKeys: readonly string[]
  readonly referencedNames: ReadonlySet<string>
  /** True where the routers' references exceed the size of a file; the remaining routers weren't checked then. */
  readonly tooLarge: boolean
}

/**
 * The most routers: a hundred times as many as in the largest known gateway. Each router takes memory and has metrics.
 */
export const MAX_ROUTERS = 100_000

/**
 * Checks each router alone: a bad router is left out, the others load. Of two routers with one path the first counts
 * (docs/reference/configuration-rules.md#rejection).
 */
export function checkRouters(written: readonly unknown[], references: References): RoutersCheck {
  const routers = new Map<string, CheckedRouter>()
  const rejections = new Map<number, ReadonlyMap<string, string>>()
  const unknownKeys: string[] = []
  const names = new Set<string>()
  let characters = 0
  for (const [index, entry] of written.entries()) {
    const check = checkRouter(entry, index, references)
    const { router } = check
    const isDuplicate = router !== undefined && routers.has(router.path)
    const rejected = isDuplicate ? new Map([...check.rejected, ['Path', 'unique:Path']]) : check.rejected
    if (rejected.size > 0) rejections.set(index, rejected)
    for (const name of check.referencedNames) names.add(name)
    if (unknownKeys.length < MAX_KEYS) unknownKeys.push(...check.unknownKeys)
    if (router !== undefined && !isDuplicate) routers.set(router.path, router)
    characters += check.characters
    if (characters > MAX_CHARACTERS) break
  }
  const tooLarge = characters > MAX_CHARACTERS
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
    tooLarge,
  }
}

function fieldsIn(rejections: RoutersCheck['rejections']): Readonly<Record<string, string>> {
  const fields = [...rejections].flatMap(([index, rejected]) =>
    [...rejected].map(([field, reason]) => [fieldOf(index, field), reason] as const),
  )
  return Object.fromEntries(fields)
}

function fieldOf(index: number, field: string): string {
  return `gl_config.Routers[${index}].Router.${field}`
}
