import type { CheckedGlConfig } from '@llm-gateway/conf'

export type ReloadResult = 'ok' | 'failed' | 'waiting'

/** What `/status` says of the configuration (wire, 1.1). */
export type ReloadState = {
  /** Of the configuration in force; '' while the first one is waited for. */
  readonly digest: string
  readonly valuesRevision: string | undefined
  readonly reload: { readonly result: ReloadResult /** RFC 3339 */; readonly time: string; readonly reason: string }
  readonly rejectedFields: Readonly<Record<string, string>>
  readonly routers: RouterCounts
  /** Router path -> hash of its entry, in the file's order, held routers included. */
  readonly entries: ReadonlyMap<string, string>
}

/** No router counts twice: `internal` are the active ones that only a `gl_path` reaches, `active` the others. */
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
  routers: { active: 0, rejected: 0, disabled: 0, internal: 0 },
  entries: new Map(),
}

export function appliedState(
  config: CheckedGlConfig,
  digest: string,
  valuesRevision: string | undefined,
): Omit<ReloadState, 'reload'> {
  return {
    digest,
    valuesRevision,
    rejectedFields: config.rejectedFields,
    routers: countRouters(config),
    entries: new Map(config.routers.map(({ path, entryHash }) => [path, entryHash])),
  }
}

function countRouters({ routers, rejectedFields }: CheckedGlConfig): RouterCounts {
  const active = routers.filter((router) => router.kind === 'active')
  const internal = active.filter((router) => router.internal).length
  const disabled = routers.filter((router) => router.kind === 'disabled').length
  return { active: active.length - internal, rejected: countRejected(rejectedFields), disabled, internal }
}

/** By their fields: a router whose path is bad or taken is no router, but it is rejected. */
function countRejected(rejectedFields: CheckedGlConfig['rejectedFields']): number {
  const routers = Object.keys(rejectedFields).map((field) => /^gl_config\.Routers\[(\d+)\]/.exec(field)?.[1])
  return new Set(routers.filter((index) => index !== undefined)).size
}
