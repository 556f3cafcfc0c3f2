import type { ProcessorEntry } from '@llm-gateway/conf'
import { type LlmGateway, MOCK_RECORDING, type Processor, type WholeCallPoint } from '@llm-gateway/crds'
import { callPointsOf, type Phase } from './call-points.ts'
import { knownPools } from './named-routers.ts'
import { entryName, processorSubject } from './processor-names.ts'
import { type RouterPaths, replayPath } from './router-paths.ts'

/** An entry of a row. Entries for all Routers share one list, since there may be thousands of both. */
export type WrittenEntry = Omit<ProcessorEntry, 'routers' | 'reroute_to'> & {
  readonly routers?: readonly string[] | undefined
  readonly reroute_to?: readonly string[] | undefined
  /**
   * The paths that stay in the lists of a kept entry even where the file is full: only the live file has them. The file
   * doesn't have this member.
   */
  readonly kept?: ReadonlySet<string>
}

/** An entry with its phase and the order of its row. */
export type RowEntry = { readonly phase: Phase; readonly order: number; readonly entry: WrittenEntry }

/**
 * Writes the call points of a Processor for gl_config.json. `routers` and `reroute_to` are always written: absent means
 * all.
 */
export function rowEntries(processor: Processor, gateway: LlmGateway, paths: RouterPaths): readonly RowEntry[] {
  const seen = rangeOf(processor, paths)
  const rerouteTo = processor.spec.request?.rerouteTo?.filter((path) => paths.known.has(path))
  const entry = (phase: Phase, point: WholeCallPoint, routers: readonly string[]): RowEntry => ({
    phase,
    order: point.order,
    entry: {
      name: entryName(processor),
      service_bus_topic: processorSubject(processor, gateway),
      timeout: point.timeoutMs,
      modifier: point.modifier,
      required: point.required,
      async: point.async,
      input_fields_include: [...point.inputFields],
      input_fields_exclude: [],
      output_fields_write: [...point.outputFields],
      routers,
      // Only a request's gl_path re-routes, so rows of responses name no path.
      reroute_to: phase === 'request' ? (rerouteTo ?? seen.rerouteTo) : [],
    },
  })
  const own = callPointsOf(processor).map(([phase, point]) => entry(phase, point, seen[phase]))
  return processor.spec.type === 'Mock' ? [...own, entry('response', MOCK_RECORDING, seen.recorded)] : own
}

/** Returns the paths on which a phase of a Processor is called; a Mock has several entries in one phase. */
export function routersOf(processor: Processor, phase: Phase, paths: RouterPaths): readonly string[] {
  return processor.spec.type === 'Mock' ? [] : rangeOf(processor, paths)[phase]
}

type Range = {
  readonly request: readonly string[]
  readonly response: readonly string[]
  readonly rerouteTo: readonly string[]
  /** Paths whose answers a Mock records. */
  readonly recorded: readonly string[]
}

/** Returns the paths on which a Processor is called. */
function rangeOf(processor: Processor, paths: RouterPaths): Range {
  const { spec } = processor
  if (spec.type === 'Mock') {
    const replays = paths.replayed.map(replayPath)
    return { request: replays, response: replays, rerouteTo: [], recorded: paths.replayed }
  }
  const named = spec.routers?.filter((path) => paths.known.has(path)).toSorted() ?? paths.routers
  if (spec.type !== 'Broker') return { request: named, response: named, rerouteTo: [], recorded: [] }
  const pools = knownPools(processor, paths.known)
  const members = [...new Set(pools.flatMap((pool) => pool.members))].sort()
  const ofPools = pools.map(({ path }) => path).sort()
  return { request: ofPools, response: [...ofPools, ...members], rerouteTo: members, recorded: [] }
}
