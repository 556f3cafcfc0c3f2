import { withEstimatedPrompts } from './streams-without-usage.ts'
import { sumOfCounts } from './token-share.ts'
import type { TokenCounts } from './usage.ts'

/** `token_caps` of the file; value 0 = no cap. */
export type TokenCaps = readonly {
  readonly router: string
  readonly fields: readonly { readonly field: string; readonly value: number }[]
}[]

/**
 * Tokens used per router and window. Windows are numbered from the epoch, so that replicas agree on them. The two
 * newest are kept; `used` is empty for an unknown window. A map returned by `used` doesn't change later.
 */
export type UsedTokens = {
  add(router: string, window: number, counts: TokenCounts): void
  used(router: string, window: number): TokenCounts
}

export type Caps = {
  isCapped(router: string): boolean
  /** Returns the seconds until the router may be called again; undefined while it may. */
  retryAfter(router: string, now: number): number | undefined
  /** Books tokens on a router. Returns the field whose cap they reached, once per window. */
  book(router: string, counts: TokenCounts, now: number): string | undefined
}

const MS_PER_SECOND = 1_000

/**
 * Makes caps in fixed windows of `periodSeconds`; `now` is in milliseconds since the epoch. A router is refused once
 * its cap is used up.
 */
export function createCaps(options: {
  readonly tokenCaps: TokenCaps
  readonly periodSeconds: number
  readonly usedTokens: UsedTokens
}): Caps {
  const { usedTokens } = options
  const periodMs = options.periodSeconds * MS_PER_SECOND
  const capped = new Map(
    options.tokenCaps.map(({ router, fields }) => [router, fields.filter(({ value }) => value > 0)] as const),
  )
  const windowOf = (now: number): number => Math.floor(now / periodMs)
  const reached = (router: string, window: number): string | undefined => {
    const used = withEstimatedPrompts(usedTokens.used(router, window))
    return capped.get(router)?.find(({ field, value }) => (used.get(field) ?? 0) >= value)?.field
  }
  const isCapped = (router: string): boolean => (capped.get(router)?.length ?? 0) > 0
  return {
    isCapped,
    retryAfter: (router, now) => {
      const window = windowOf(now)
      if (reached(router, window) === undefined) return undefined
      return Math.max(1, Math.ceil(((window + 1) * periodMs - now) / MS_PER_SECOND))
    },
    book: (router, counts, now) => {
      // Routers without a cap aren't counted, so the file bounds the memory.
      if (!isCapped(router)) return undefined
      const window = windowOf(now)
      const before = reached(router, window)
      usedTokens.add(router, window, counts)
      return before === undefined ? reached(router, window) : undefined
    },
  }
}

const NONE: TokenCounts = new Map()

/** Counts in this process alone. Keeps the two newest windows, since answers come late. */
export function usedTokensInMemory(): UsedTokens {
  const windows = new Map<number, Map<string, TokenCounts>>()
  return {
    used: (router, window) => windows.get(window)?.get(router) ?? NONE,
    add: (router, window, counts) => {
      for (const known of windows.keys()) if (known < window - 1) windows.delete(known)
      const routers = windows.get(window) ?? new Map<string, TokenCounts>()
      windows.set(window, routers.set(router, sumOfCounts([routers.get(router) ?? NONE, counts])))
    },
  }
}
