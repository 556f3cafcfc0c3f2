import { numberSetting } from '@llm-gateway/sdk'
import { z } from 'zod'

const MAX_POOLS = 1_000
const MAX_MEMBERS = 1_000
const MINUTES_PER_YEAR = 525_600

/** A router's path (docs/reference/configuration-rules.md#routers-in-the-file). */
const routerPath = z.string().regex(/^(?:\/(?!\.\.?\/)[A-Za-z0-9_\-.~]+)+\/$|^\/$/, 'router:')

const pool = z.object({
  /** The path that callers use. */
  path: routerPath,
  /** The routers that answer the pool's calls. */
  members: z.array(routerPath).min(1).max(MAX_MEMBERS),
})

const pools = z.array(pool).min(1).max(MAX_POOLS).superRefine(checkPaths)

export type Pool = Readonly<z.infer<typeof pool>>

export const brokerSettings = z.object({
  pools: pools.default([{ path: '/pool/', members: ['/pool/gpt35turbo/', '/pool/gpt4/', '/pool/dud/'] }]),
  /** The minutes for which a failed member is left out; fractions are allowed. */
  disabled_time_minutes: numberSetting({ min: 0, max: MINUTES_PER_YEAR }).default(10),
})

export type BrokerSettings = z.infer<typeof brokerSettings>

/**
 * Checks that each pool, and each member of a pool, is listed once. A pool can't be a member, since the gateway
 * re-routes a call only once.
 */
function checkPaths(list: readonly Pool[], context: z.RefinementCtx): void {
  const paths = new Set<string>()
  const complain = (message: string, ...path: (string | number)[]): void => {
    context.addIssue({ code: 'custom', message, path })
  }
  for (const [index, { path }] of list.entries()) {
    if (paths.has(path)) complain('unique:path', index, 'path')
    paths.add(path)
  }
  for (const [index, { members }] of list.entries()) {
    const seen = new Set<string>()
    for (const [place, member] of members.entries()) {
      if (paths.has(member)) complain('pool:', index, 'members', place)
      else if (seen.has(member)) complain('unique:member', index, 'members', place)
      seen.add(member)
    }
  }
}
