import { setTimeout as sleep } from 'node:timers/promises'
import type { ActiveRouter, CheckedGlConfig, Logger } from '@llm-gateway/conf'
import type { Slice } from '../work/work-queue.ts'
import type { ReloadState } from './reload-state.ts'

/** A full pipe (64 KiB) stops the whole process until its reader took some: it gets time to read so many lines. */
const LINES_AT_ONCE = 100
const PAUSE_MS = 5
const MOST_SHOWN = 16 * 1024
/** Fields of one line; the longest usual ones have some 80 characters each. */
const FIELDS_IN_LINE = 100
const MOST_IN_LINE = 8 * 1024

/** Logs a configuration that goes live after `previous` (docs/reference/configuration-rules.md#rejection). */
export async function logApplied(
  { logger, slice }: Log,
  config: CheckedGlConfig,
  states: AppliedStates,
): Promise<void> {
  const { previous, next, restart } = states
  const { rejectedFields, unknownKeys } = config
  await logRejected(logger, rejectedFields)
  if (unknownKeys.length > 0) logger.warn({ unknown_keys: unknownKeys }, 'configuration has unknown keys')
  let lines = 0
  for (const router of config.routers) {
    if (slice.due) await slice.next()
    if (router.kind !== 'active' || previous.activeEntries.get(router.path) === router.entryHash) continue
    logger.info({ router: shownRouter(router) }, 'adding router')
    lines += 1
    if (lines % LINES_AT_ONCE === 0) await sleep(PAUSE_MS)
  }
  if (restart.length > 0) logger.warn({ fields: restart }, 'configuration changes need a restart')
  const { digest, valuesRevision, routers } = next
  const message = previous.digest === '' ? 'configuration loaded' : 'configuration reloaded'
  logger.info({ digest, values_revision: valuesRevision, routers }, message)
}

/** Every field is told: one line in nearly every file, and as many as it takes for 10,000 rejected routers. */
async function logRejected(logger: Logger, rejectedFields: CheckedGlConfig['rejectedFields']): Promise<void> {
  let line: [path: string, reason: string][] = []
  let characters = 0
  for (const [path, reason] of Object.entries(rejectedFields)) {
    if (line.length === FIELDS_IN_LINE || characters > MOST_IN_LINE) {
      write()
      await sleep(PAUSE_MS)
    }
    const shown = path.slice(0, MOST_SHOWN)
    line.push([shown, reason])
    characters += shown.length + reason.length
  }
  if (line.length > 0) write()

  function write(): void {
    logger.warn({ rejected_fields: Object.fromEntries(line) }, 'configuration has rejected fields')
    line = []
    characters = 0
  }
}

/** A line for each of 10,000 routers is written in slices. */
type Log = { readonly logger: Logger; readonly slice: Slice }

export type AppliedStates = {
  readonly previous: { readonly digest: string; readonly activeEntries: ReadonlyMap<string, string> }
  readonly next: Pick<ReloadState, 'digest' | 'valuesRevision' | 'routers'>
  /** Static fields that differ from those the process began with. */
  readonly restart: readonly string[]
}

/** Names only: a header's value and each part of a url may be a secret. */
function shownRouter({ path, internal, ingressHeaders, outbound }: ActiveRouter): object {
  return {
    // Whole in nearly every file; one of a megabyte would fill the pipe.
    path: path.slice(0, MOST_SHOWN),
    internal,
    ingress_headers: ingressHeaders.map(({ name }) => name),
    outbound_headers: outbound.headers.map(({ name }) => name),
  }
}
