import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleaseBuild } from '../artefact.ts'

/** A foreign part of a release. */
export type Material = {
  readonly name: string
  readonly version: string
  /** Package URL: https://github.com/package-url/purl-spec */
  readonly purl: string
  /** SPDX expressions; empty: unknown. */
  readonly licences: readonly string[]
  readonly hash?: { readonly alg: string; readonly content: string }
  /** The hash of a Go module, `h1:…`. */
  readonly sum?: string
  readonly place: string
}

/** Licences whose terms a release fulfils: the image has their texts beside the packages. */
const KNOWN: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Unlicense',
])
/** Licences accepted for Debian's libraries, which are linked dynamically and unchanged. */
const KNOWN_OF_DEBIAN: ReadonlySet<string> = new Set([
  'GPL-2.0-or-later',
  'GPL-3.0-or-later WITH GCC-exception-3.1',
  'LGPL-2.1-or-later',
])

/** Returns materials without a licence or with an unknown one: `name version: licence`. */
export function unknownLicences(materials: readonly Material[]): readonly string[] {
  return materials
    .filter(({ purl, licences }) => {
      const isKnown = (licence: string): boolean =>
        KNOWN.has(licence) || (purl.startsWith('pkg:deb/') && KNOWN_OF_DEBIAN.has(licence))
      return licences.length === 0 || !licences.every(isKnown)
    })
    .map(({ name, version, licences }) => `${name} ${version}: ${licences.join(', ') || 'none'}`)
}

/** Writes `llm-gateway-licences-<version>.md`; throws for an unknown licence. */
export function writeLicences({ out, version }: ReleaseBuild, materials: readonly Material[]): void {
  const unknown = unknownLicences(materials)
  if (unknown.length > 0) throw new Error(`release: unknown licences: ${unknown.join('; ')}`)
  const rows = materials.map(
    (material) => `| ${material.name} | ${material.version} | ${material.licences.join(', ')} | ${material.place} |\n`,
  )
  const head = `# Licences of llm-gateway ${version}\n\nllm-gateway itself is under Apache-2.0. It is published with these packages of others; their licence texts are beside them in
the image, and npm and pip fetch them with the packages.\n\n| package | version | licence | is in |\n| --- | --- | --- | --- |\n`
  writeFileSync(join(out, `llm-gateway-licences-${version}.md`), `${head}${rows.join('')}`)
}
