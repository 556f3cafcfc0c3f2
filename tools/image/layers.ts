import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appLayer } from './app-layer.ts'
import { baseLayer } from './base-layer.ts'
import { BUNDLED_LICENCES, BUNDLES, EXTERNAL_PACKAGES, isDependencyFile, isNotice } from './contents.ts'
import { completeEntries, type Entry, file } from './entry.ts'
import { folderFiles } from './folder-files.ts'
import type { Parts } from './parts/parts.ts'
import { productionPackages } from './production-packages.ts'

export type Layer = { readonly name: string; readonly entries: readonly Entry[] }

/** Returns the entries of our own code, which are the same on every platform. */
export async function ownEntries(root: string): Promise<readonly Entry[]> {
  return completeEntries([...(await appLayer(root)), ...bundleEntries(root)])
}

/** Returns the image's layers on a platform, those that change least first. */
export function layers(root: string, parts: Parts, own: readonly Entry[]): readonly Layer[] {
  return [
    { name: 'base', entries: completeEntries(baseLayer(parts.node, parts.packages)) },
    { name: 'nats-server', entries: completeEntries(natsLayer(parts.natsServer)) },
    { name: 'dependencies', entries: completeEntries(dependencyLayer(root, parts.re2)) },
    { name: 'app', entries: own },
  ]
}

function natsLayer(folder: string): readonly Entry[] {
  return [
    file('usr/bin/nats-server', () => readFileSync(join(folder, 'nats-server')), 0o755),
    file('usr/share/doc/nats-server/copyright', () => readFileSync(join(folder, 'LICENSE'))),
  ]
}

/** Builds the programs that the image has as one file each. */
function bundleEntries(root: string): readonly Entry[] {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-bundle-'))
  try {
    const licences = BUNDLED_LICENCES.map((path) => file(`app/${path}`, () => readFileSync(join(root, path))))
    const bundles = BUNDLES.map(({ program, path }) => {
      const out = join(folder, 'bundle.mjs')
      execFileSync(process.execPath, [join(root, program), out])
      const bytes = readFileSync(out)
      return file(`app/${path}`, () => bytes)
    })
    return [...bundles, ...licences]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const WHOLE: ReadonlySet<string> = new Set(EXTERNAL_PACKAGES.map((name) => `node_modules/${name}`))

const ADDON = 'app/node_modules/re2/build/Release/re2.node'

/**
 * Returns the layer `/app/node_modules`: unbundled packages without development files, and the notices of bundled
 * packages. `re2` is the platform's addon, if there is one.
 */
function dependencyLayer(root: string, re2: string | undefined): readonly Entry[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const files = productionPackages(packages).flatMap((folder) =>
    folderFiles(join(root, folder))
      .filter(WHOLE.has(folder) ? isDependencyFile : isNotice)
      .map((path) => file(`app/${folder}/${path}`, () => readFileSync(join(root, folder, path)))),
  )
  return re2 === undefined ? files : [...files, file(ADDON, () => readFileSync(re2))]
}
