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
 * no caller without a key reaches it.
 */
export function replayRouters(paths: readonly string[], built: readonly BuiltEntry[]): readonly BuiltEntry[] {
  const byPath = new Map([ECHO, ...built].map((router) => [router.entry.path, router]))
  return paths.flatMap((path) => {
    const original = byPath.get(path)
    return original === undefined ? [] : [replayOf(original)]
  })
}

function replayOf({ entry, values }: BuiltEntry): BuiltEntry {
  const path = replayPath(entry.path)
  const nothing = { values: new Map<string, string>(), sources: [], problems: [] }
  if (!('ingress' in entry)) return { ...nothing, entry: { path, disabled: true } }
  const { ingress, internal } = entry
  const replay: RouterEntry = { path, ...(internal ? { internal } : {}), ingress, outbound: NOWHERE }
  const text = JSON.stringify(ingress)
  // A replay has its own values: the original may be left out for a bad address, and its values with it.
  return { ...nothing, entry: replay, values: new Map([...values].filter(([name]) => text.includes(`\${${name}}`))) }
}
