import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRe2Ready } from '../re2/ensure-re2.ts'
import { appLayer } from './app-layer.ts'
import { baseLayer, libraryEntries, notice } from './base-layer.ts'
import { bundleEntries } from './bundle-entries.ts'
import { dependencyLayer } from './dependency-layer.ts'
import { complete, type Entry, file } from './entry.ts'
import { type Library, linkedLibraries } from './linked-libraries.ts'

export type Layer = { readonly name: string; readonly entries: readonly Entry[] }
export type Machine = {
  /** The checkout. */
  readonly root: string
  /** Absolute paths of the two programs that go in as they are. */
  readonly node: string
  readonly natsServer: string
  readonly say: (line: string) => void
}

/** The image's layers, what changes least first. */
export async function layers({ root, node, natsServer, say }: Machine): Promise<readonly Layer[]> {
  const re2 = join(root, 'node_modules/re2/build/Release/re2.node')
  const hasRe2 = await isRe2Ready(root)
  if (!hasRe2) say('image: without re2, so the regex processor can not run in it: `make re2` builds it')
  const nodeLibraries = await linkedLibraries(node)
  const base = [...nodeLibraries, ...(hasRe2 ? await linkedLibraries(re2) : [])]
  return [
    { name: 'base', entries: complete(baseLayer(node, base)) },
    { name: 'nats-server', entries: complete(natsLayer(natsServer, await linkedLibraries(natsServer), base)) },
    { name: 'dependencies', entries: complete(dependencyLayer(root, hasRe2)) },
    { name: 'app', entries: complete([...(await appLayer(root)), ...bundleEntries(root)]) },
  ]
}

function natsLayer(program: string, libraries: readonly Library[], below: readonly Library[]): readonly Entry[] {
  const there = new Set(below.map(({ path }) => path))
  return [
    file('usr/bin/nats-server', () => readFileSync(program), 0o755),
    ...notice('nats-server', join(dirname(program), '../share/doc/nats-server/copyright')),
    ...libraryEntries(libraries.filter(({ path }) => !there.has(path))),
  ]
}
