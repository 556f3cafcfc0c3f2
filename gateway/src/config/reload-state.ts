import type { CheckedGlConfig } from '@llm-gateway/conf'
import type { Slice } from '../work/work-queue.ts'

export type ReloadResult = 'ok' | 'failed' | 'waiting'

/** The configuration's part of `/status` (docs/reference/configuration-rules.md#status). */
export type ReloadState = {
  /** The digest of the configuration in force; '' before the first configuration. */
  readonly digest: string
  readonly valuesRevision: string | undefined
  readonly reload: {
    readonly result: ReloadResult
    /** RFC 3339 */
    readonly time: string
    readonly reason: string
  }
  readonly rejectedFields: Readonly<Record<string, string>>
  /** The indexes of rejected routers in the file. */
  readonly rejectedRouters: readonly number[]
  readonly routers: RouterCounts
  /** Router path -> hash of its entry, in the file's order, inactive routers included. */
  readonly entries: ReadonlyMap<string, string>
}

/**
 * Routers by state, each counted once: `internal` are active routers that only a `gl_path` reaches, `active` all other
 * active routers.
 */
export type RouterCounts = {
  readonly active: number
  readonly rejected: number
  readonly disabled: number
  readonly internal: number
}

export const NOTHING_APPLIED: Omit<ReloadState, 'reload'> = {
  digest: '',
  valuesRevision: undefined,
  rejectedFields: {},
  rejectedRouters: [],
  routers: { active: 0, rejected: 0, disabled: 0, internal: 0 },
  entries: new Map(),
}

type Applied = {
  readonly config: CheckedGlConfig
  readonly digest: string
  readonly valuesRevision: string | undefined
}

/** Returns the state of a configuration in force and its active entries: path → hash. */
export async function appliedState(
  { config, digest, valuesRevision }: Applied,
  slice: Slice,
): Promise<Omit<ReloadState, 'reload'> & { readonly activeEntries: ReadonlyMap<string, string> }> {
  const entries = new Map<string, string>()
  const activeEntries = new Map<string, string>()
  let [active, internal, disabled] = [0, 0, 0]
  for (const router of config.routers) {
    if (slice.isDue) await slice.next()
    const { path, entryHash } = router
    entries.set(path, entryHash)
    if (router.kind === 'disabled') disabled += 1
    if (router.kind !== 'active') continue
    activeEntries.set(path, entryHash)
    if (router.internal) internal += 1
    else active += 1
  }
  const { rejectedFields, rejectedRouters } = config
  const routers = { active, rejected: rejectedRouters.length, disabled, internal }
  return { digest, valuesRevision, rejectedFields, rejectedRouters, routers, entries, activeEntries }
}
