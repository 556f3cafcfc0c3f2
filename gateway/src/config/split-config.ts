import type { CheckedGlConfig, GlSettings, ProcessorEntry } from '@llm-gateway/conf'
import type { PathsPiece, ProcessorsPiece, ReaderResponse } from './reader-messages.ts'

/** The rough size of a piece, which takes a few milliseconds to deserialize. */
const PIECE_CHARACTERS = 128 * 1024
const PIECE_ENTRIES = 500
/** The most paths of a list that come with their entry. The paths of a longer list follow in pieces of their own. */
const FEW_PATHS = 100
const LISTS = ['routers', 'reroute_to'] as const
/** The most rejected fields that are reported, since log lines name all of them. */
const MAX_REJECTED = 10_000

/** Yields a checked configuration in pieces, which the main thread takes over one by one. */
export function* splitConfig(digest: string, config: CheckedGlConfig): Generator<ReaderResponse, void, undefined> {
  const { settings, routers, unknownKeys, rejectedFields, rejectedRouters } = config
  const rejected = Object.fromEntries(Object.entries(rejectedFields).slice(0, MAX_REJECTED))
  const bare = withoutProcessors(settings)
  yield { kind: 'checked', digest, settings: bare, unknownKeys, rejectedFields: rejected, rejectedRouters }
  for (const phase of ['request', 'response'] as const) yield* processorPieces(phase, settings)
  for (const piece of batches(routers)) yield { kind: 'routers', routers: piece }
  yield { kind: 'end' }
}

function withoutProcessors({ request, response, ...settings }: GlSettings): GlSettings {
  return {
    ...settings,
    request: { processors: request.processors.map(() => []) },
    response: { processors: response.processors.map(() => []) },
  }
}

function* processorPieces(
  phase: 'request' | 'response',
  settings: GlSettings,
): Generator<ProcessorsPiece | PathsPiece, void, undefined> {
  for (const [row, processors] of settings[phase].processors.entries()) {
    for (const entries of batches(processors.map(withoutLongLists))) yield { kind: 'processors', phase, row, entries }
    for (const [entry, processor] of processors.entries()) {
      for (const list of LISTS) {
        for (const paths of batches(longList(processor[list]))) yield { kind: 'paths', phase, row, entry, list, paths }
      }
    }
  }
}

function withoutLongLists(entry: ProcessorEntry): ProcessorEntry {
  const long = LISTS.filter((list) => longList(entry[list]).length > 0)
  return long.length === 0 ? entry : { ...entry, ...Object.fromEntries(long.map((list) => [list, []])) }
}

function longList(paths: readonly string[] = []): readonly string[] {
  return paths.length > FEW_PATHS ? paths : []
}

function* batches<T>(entries: readonly T[]): Generator<readonly T[], void, undefined> {
  let batch: T[] = []
  let characters = 0
  for (const entry of entries) {
    batch.push(entry)
    characters += JSON.stringify(entry).length
    if (batch.length < PIECE_ENTRIES && characters < PIECE_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}
