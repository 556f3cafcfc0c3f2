import type { ActiveRouter, CheckedGlConfig, Logger } from '@llm-gateway/conf'
import type { ReloadState } from './reload-state.ts'

/** What the log says of a configuration that goes live after `previous` did (specification, errors 1; wire, 1.1). */
export function logApplied(logger: Logger, config: CheckedGlConfig, states: AppliedStates): void {
  const { previous, next, restart } = states
  const { rejectedFields, unknownKeys } = config
  if (Object.keys(rejectedFields).length > 0) {
    logger.warn({ rejected_fields: rejectedFields }, 'configuration has rejected fields')
  }
  if (unknownKeys.length > 0) logger.warn({ unknown_keys: unknownKeys }, 'configuration has unknown keys')
  for (const router of config.routers) {
    if (router.kind !== 'active' || previous.activeEntries.get(router.path) === router.entryHash) continue
    logger.info({ router: shownRouter(router) }, 'adding router')
  }
  if (restart.length > 0) logger.warn({ fields: restart }, 'configuration changes need a restart')
  const { digest, valuesRevision, routers } = next
  const message = previous.digest === '' ? 'configuration loaded' : 'configuration reloaded'
  logger.info({ digest, values_revision: valuesRevision, routers }, message)
}

export type AppliedStates = {
  readonly previous: { readonly digest: string; readonly activeEntries: ReadonlyMap<string, string> }
  readonly next: Pick<ReloadState, 'digest' | 'valuesRevision' | 'routers'>
  /** Static fields that differ from those the process began with. */
  readonly restart: readonly string[]
}

export function activeEntries(config: CheckedGlConfig): ReadonlyMap<string, string> {
  const active = config.routers.filter((router) => router.kind === 'active')
  return new Map(active.map(({ path, entryHash }) => [path, entryHash]))
}

/** Names only: a header's value and each part of a url may be a secret. */
function shownRouter({ path, internal, ingressHeaders, outbound }: ActiveRouter): object {
  return {
    path,
    internal,
    ingress_headers: ingressHeaders.map(({ name }) => name),
    outbound_headers: outbound.headers.map(({ name }) => name),
  }
}
