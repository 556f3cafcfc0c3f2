import { checkRouter } from './check-router.ts'
import { echoRouter } from './default-routers.ts'
import type { CheckedRouter } from './router-entry.ts'
import type { References } from './types.ts'

export type RoutersCheck = {
  /** In the file's order; `/echo/` is always there. */
  readonly routers: readonly CheckedRouter[]
  readonly rejectedFields: Readonly<Record<string, string>>
  readonly unknownKeys: readonly string[]
  readonly names: ReadonlySet<string>
}

/** Judges each router alone: a bad one is left out, the rest load; of two with one path the first stays (wire, 1.1). */
export function checkRouters(written: readonly unknown[], references: References): RoutersCheck {
  const routers = new Map<string, CheckedRouter>()
  const rejected = new Map<string, string>()
  const unknownKeys: string[] = []
  const names = new Set<string>()
  for (const [index, entry] of written.entries()) {
    const check = checkRouter(entry, index, references)
    for (const [field, reason] of check.rejected) rejected.set(fieldOf(index, field), reason)
    for (const name of check.names) names.add(name)
    unknownKeys.push(...check.unknownKeys)
    const { router } = check
    if (router === undefined) continue
    if (routers.has(router.path)) rejected.set(fieldOf(index, 'Path'), 'unique:Path')
    else routers.set(router.path, router)
  }
  const echo = routers.has(echoRouter.path) ? undefined : checkRouter(echoRouter, written.length, references).router
  if (echo !== undefined) routers.set(echo.path, echo)
  return { routers: [...routers.values()], rejectedFields: Object.fromEntries(rejected), unknownKeys, names }
}

function fieldOf(index: number, field: string): string {
  return `gl_config.Routers[${index}].Router.${field}`
}
