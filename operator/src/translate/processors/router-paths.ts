import type { Snapshot } from '../../model/snapshot.ts'
import type { BuiltEntry } from '../routers/build-entry.ts'
import { isNeverRead } from '../unreadable.ts'
import type { ProcessorAcceptance } from './accept-processors.ts'

export type RouterPaths = {
  /** Paths of all Routers of the gateway that hold their path, sorted. */
  readonly routers: readonly string[]
  /** All paths that a Processor may name: the paths of `routers`, /echo/ and the replays. */
  readonly known: ReadonlySet<string>
  /** `known`, and the paths of Routers that don't hold their path now. */
  readonly claimed: ReadonlySet<string>
  /** Paths that the Mock replays, sorted; empty without a Mock. */
  readonly replayed: readonly string[]
}

const ECHO = '/echo/'

export function routerPaths(
  acceptances: readonly ProcessorAcceptance[],
  built: readonly BuiltEntry[],
  { routers: all, liveRouters = new Map() }: Pick<Snapshot, 'routers' | 'liveRouters'>,
): RouterPaths {
  const routers = built.map(({ entry }) => entry.path).sort()
  const originals = new Set([...routers, ECHO])
  const mock = acceptances.find(({ processor, reason }) => reason === 'Accepted' && processor.spec.type === 'Mock')
  const isKept = mock !== undefined && isNeverRead(mock.processor)
  // For a Mock that can't be read, the live file tells which paths it replays.
  const wanted = isKept
    ? [...originals].filter((path) => liveRouters.has(replayPath(path)))
    : mock?.processor.spec.routers
  const replayed = mock === undefined ? [] : (wanted?.filter((path) => originals.has(path)) ?? routers)
  const known = new Set([...originals, ...replayed.map(replayPath)])
  const claimed = new Set([...known, ...all.map(({ spec }) => spec.path)])
  return { routers, known, claimed, replayed: replayed.toSorted() }
}

/** Returns the path of the router that replays another router's answers (docs/reference/processors.md#mock). */
export function replayPath(path: string): string {
  return `/mock${path}`
}
