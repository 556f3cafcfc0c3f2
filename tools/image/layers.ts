import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { appLayer } from './app-layer.ts'
import { baseLayer } from './base-layer.ts'
import { bundleEntries } from './bundle-entries.ts'
import { dependencyLayer } from './dependency-layer.ts'
import { complete, type Entry, file } from './entry.ts'
import type { Parts } from './parts/parts.ts'

export type Layer = { readonly name: string; readonly entries: readonly Entry[] }

/** What our own code comes to, the same on every platform. */
export async function ownEntries(root: string): Promise<readonly Entry[]> {
  return complete([...(await appLayer(root)), ...bundleEntries(root)])
}

/** The image's layers on the platform of these parts, what changes least first. */
export function layers(root: string, parts: Parts, own: readonly Entry[]): readonly Layer[] {
  return [
    { name: 'base', entries: complete(baseLayer(parts.node, parts.packages)) },
    { name: 'nats-server', entries: complete(natsLayer(parts.natsServer)) },
    { name: 'dependencies', entries: complete(dependencyLayer(root, parts.re2)) },
    { name: 'app', entries: own },
  ]
}

function natsLayer(folder: string): readonly Entry[] {
  return [
    file('usr/bin/nats-server', () => readFileSync(join(folder, 'nats-server')), 0o755),
    file('usr/share/doc/nats-server/copyright', () => readFileSync(join(folder, 'LICENSE'))),
  ]
}
