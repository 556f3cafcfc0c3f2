import { setTimeout as sleep } from 'node:timers/promises'
import { type ActiveRouter, type CheckedGlConfig, type Logger, shortName } from '@llm-gateway/conf'
import type { Slice } from '../work/work-queue.ts'
import type { ReloadState } from './reload-state.ts'

/**
 * The lines between two pauses: a full pipe (64 KiB) would block the whole process until its reader takes some bytes.
 */
const LINES_AT_ONCE = 100
const PAUSE_MS = 5
/** The fields of a line; most have at most 80 characters. */
const FIELDS_IN_LINE = 100
/** The most characters of a list of names, which JSON may escape with six bytes each. */
const MAX_LINE_CHARACTERS = 8 * 1024

/** Logs a configuration that replaces `previous` (docs/reference/configuration-rules.md#rejection). */
export async function logApplied(
  { logger, slice }: Log,
  config: CheckedGlConfig,
  states: AppliedStates,
): Promise<void> {
  const { previous, next, restartFields } = states
  const { rejectedFields, unknownKeys } = config
  await logRejected(logger, rejectedFields)
  if (unknownKeys.length > 0) logger.warn({ unknown_keys: firstOf(unknownKeys) }, 'configuration has unknown keys')
  const async = requiredAsync(config)
  if (async.length > 0) logger.warn({ processors: async }, 'required has no effect on async processors')
  let lines = 0
  for (const router of config.routers) {
    if (slice.isDue) await slice.next()
    if (router.kind !== 'active' || previous.activeEntries.get(router.path) === router.entryHash) continue
    logger.info({ router: shownRouter(router) }, 'adding router')
    lines += 1
    if (lines % LINES_AT_ONCE === 0) await sleep(PAUSE_MS)
  }
  if (restartFields.length > 0) logger.warn({ fields: restartFields }, 'configuration changes need a restart')
  const { digest, valuesRevision, routers } = next
  const message = previous.digest === '' ? 'configuration loaded' : 'configuration reloaded'
  logger.info({ digest, values_revision: valuesRevision, routers }, message)
}

/** Returns the first names of entries that are required and async: no call waits for an async processor. */
function requiredAsync({ settings: { request, response } }: CheckedGlConfig): readonly string[] {
  const entries = [...request.processors, ...response.processors].flat()
  return firstOf(entries.filter(({ async, required }) => async && required).map(({ name }) => name))
}

/** Returns the first names, as many as one line shows. */
function firstOf(names: readonly string[]): readonly string[] {
  const first: string[] = []
  let characters = 0
  for (const name of names) {
    const shown = shortName(name)
    characters += shown.length
    if (first.length === FIELDS_IN_LINE || characters > MAX_LINE_CHARACTERS) break
    first.push(shown)
  }
  return first
}

/** Logs every rejected field: one line for nearly every file, more for thousands of rejected routers. */
async function logRejected(logger: Logger, rejectedFields: CheckedGlConfig['rejectedFields']): Promise<void> {
  let line: [path: string, reason: string][] = []
  let characters = 0
  for (const [path, reason] of Object.entries(rejectedFields)) {
    if (line.length === FIELDS_IN_LINE || characters > MAX_LINE_CHARACTERS) {
      write()
      await sleep(PAUSE_MS)
    }
    line.push([path, reason])
    characters += path.length + reason.length
  }
  if (line.length > 0) write()

  function write(): void {
    logger.warn({ rejected_fields: Object.fromEntries(line) }, 'configuration has rejected fields')
    line = []
    characters = 0
  }
}

/** The logger and the slices in which up to 10,000 lines are written. */
type Log = { readonly logger: Logger; readonly slice: Slice }

export type AppliedStates = {
  readonly previous: { readonly digest: string; readonly activeEntries: ReadonlyMap<string, string> }
  readonly next: Pick<ReloadState, 'digest' | 'valuesRevision' | 'routers'>
  /** Static fields that differ from those at the start of the process. */
  readonly restartFields: readonly string[]
}

/** Returns the loggable part of a router: names only, since header values and parts of a url may be secrets. */
function shownRouter({ path, internal, ingressHeaders, outbound }: ActiveRouter): object {
  return {
    path,
    internal,
    ingress_headers: firstOf(ingressHeaders.map(({ name }) => name)),
    outbound_headers: firstOf(outbound.headers.map(({ name }) => name)),
  }
}
