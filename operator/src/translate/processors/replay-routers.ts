import type { RouterEntry } from '../../model/snapshot.ts'
import type { BuiltEntry } from '../routers/build-entry.ts'
import { replayPath } from './router-paths.ts'

/** An address to which no call goes, since the Mock answers replays. */
const NOWHERE = { url: 'https://localhost', endpoint: '', headers: {} }
/** The gateway's own router /echo/, which no Router builds and a Mock may replay; every caller is admitted. */
const ECHO: BuiltEntry = {
  entry: { path: '/echo/', ingress: { headers: {} }, outbound: NOWHERE },
  values: new Map(),
  sources: [],
  problems: [],
}

/**
 * Returns a Mock's `/mock<path>` for each Router that it replays. The replay has the original's ingress check, so that
 * no caller without a key reaches it, and takes room in the share of the original's namespace.
 */
export function replayRouters(paths: readonly string[], built: readonly BuiltEntry[]): readonly BuiltEntry[] {
  const byPath = new Map([ECHO, ...built].map((router) => [router.entry.path, router]))
  return paths.flatMap((path) => {
    const original = byPath.get(path)
    return original === undefined ? [] : [replayOf(original)]
  })
}

/**
 * Returns all entries in the order in which a full file has room for them. Each replay follows its original: last of
 * all it would lose its room to Routers of any age, and first it would replay a Router that finds no room.
 */
export function withReplays(built: readonly BuiltEntry[], replays: readonly BuiltEntry[]): readonly BuiltEntry[] {
  const byPath = new Map(replays.map((replay) => [replay.entry.path, replay]))
  const ofRouters = built.flatMap((original) => [original, ...listOf(byPath.get(replayPath(original.entry.path)))])
  const ofEcho = listOf(byPath.get(replayPath(ECHO.entry.path)))
  return [...ofRouters, ...ofEcho]
}

function listOf(replay: BuiltEntry | undefined): readonly BuiltEntry[] {
  return replay === undefined ? [] : [replay]
}

function replayOf({ entry, tenant, values, kept }: BuiltEntry): BuiltEntry {
  const path = replayPath(entry.path)
  const share = tenant === undefined ? {} : { tenant }
  const age = kept === undefined ? {} : { kept }
  const nothing = { ...share, ...age, values: new Map<string, string>(), sources: [], problems: [] }
  if (!('ingress' in entry)) return { ...nothing, entry: { path, disabled: true } }
  const { ingress, internal } = entry
  const replay: RouterEntry = { path, ...(internal ? { internal } : {}), ingress, outbound: NOWHERE }
  const text = JSON.stringify(ingress)
  // A replay has its own values: the original may be left out for a bad address, and its values with it.
  return { ...nothing, entry: replay, values: new Map([...values].filter(([name]) => text.includes(`\${${name}}`))) }
}
