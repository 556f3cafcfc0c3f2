import type { ProcessorEntry } from '@llm-gateway/conf'
import type { FieldFilter, RouteTable, Row, RowProcessor, RowTable } from './runtime-config.ts'

/** The paths that are looked up before the next yield, in less than a millisecond. */
const PATHS_AT_ONCE = 1_000

type Steps<T> = Generator<void, T, undefined>
type Paths = ReadonlySet<string> | undefined

/** Compiles the rows of a phase. Empty rows are left out. Yields after each processor and after a number of paths. */
export function* compileRows(
  rows: readonly (readonly ProcessorEntry[])[],
  { byPath }: Pick<RouteTable, 'byPath'>,
): Steps<RowTable> {
  const everywhere: Row[] = []
  const byRouter = new Map<string, Row[]>()
  for (const [position, entries] of rows.entries()) {
    const processors: RowProcessor[] = []
    for (const entry of entries) {
      const routers = yield* activePaths(entry.routers, byPath)
      const rerouteTo = yield* activePaths(entry.reroute_to, byPath)
      processors.push(compileProcessor(entry, routers, rerouteTo))
      yield
    }
    const row = {
      position,
      sync: processors.filter((processor) => !processor.async),
      async: processors.filter((processor) => processor.async),
    }
    for (const { routers } of processors) {
      if (routers === undefined) addOnce(everywhere, row)
      else yield* addToRouters(byRouter, routers, row)
    }
  }
  return { everywhere, byRouter }
}

/** Returns the paths of active routers alone, as the texts of the table: no call has any other path. */
function* activePaths(paths: readonly string[] | undefined, byPath: RouteTable['byPath']): Steps<Paths> {
  if (paths === undefined) return undefined
  const active = new Set<string>()
  for (const [index, path] of paths.entries()) {
    const route = byPath.get(path)
    if (route !== undefined && route !== 'inactive') active.add(route.path)
    if (index % PATHS_AT_ONCE === PATHS_AT_ONCE - 1) yield
  }
  return active
}

function* addToRouters(byRouter: Map<string, Row[]>, routers: ReadonlySet<string>, row: Row): Steps<void> {
  let count = 0
  for (const path of routers) {
    const rows = byRouter.get(path)
    if (rows === undefined) byRouter.set(path, [row])
    else addOnce(rows, row)
    count += 1
    if (count % PATHS_AT_ONCE === 0) yield
  }
}

function addOnce(rows: Row[], row: Row): void {
  if (rows.at(-1) !== row) rows.push(row)
}

function compileProcessor(entry: ProcessorEntry, routers: Paths, rerouteTo: Paths): RowProcessor {
  return {
    name: entry.name,
    subject: entry.service_bus_topic,
    timeoutMs: entry.timeout,
    modifier: entry.modifier,
    required: entry.required,
    async: entry.async,
    input: fieldFilter(entry.input_fields_include, entry.input_fields_exclude),
    inputKey: JSON.stringify([[...entry.input_fields_include].sort(), [...entry.input_fields_exclude].sort()]),
    writes: new Set(entry.output_fields_write),
    routers,
    rerouteTo,
  }
}

export function fieldFilter(include: readonly string[], exclude: readonly string[]): FieldFilter {
  return { include: include.length === 0 ? undefined : new Set(include), exclude: new Set(exclude) }
}
