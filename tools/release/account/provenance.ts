import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleaseBuild } from '../artefact.ts'
import { runProgram } from '../run-program.ts'
import type { Commit } from '../source/commit.ts'
import { addonCompilers } from './addon-compilers.ts'
import { artefactsOf } from './checksums.ts'

/** Files of the commit that pin a release's parts and tools. */
const PINS = [
  'package-lock.json',
  'gateway/gui/web/package-lock.json',
  'tools/versions.json',
  'tools/image/debian/pins.json',
] as const

/**
 * Writes `llm-gateway-<version>.provenance.json`: an in-toto statement of the release's files with SLSA's predicate
 * (commit, command, pins, tools). The statement contains no time and no machine, so that another machine writes the
 * same bytes, and no signature (docs/operations/releases.md#signatures).
 */
export async function writeProvenance(
  releaseBuild: ReleaseBuild,
  commit: Commit & { readonly root: string },
  hasImage: boolean,
): Promise<void> {
  const { out, version, names, environment } = releaseBuild
  const source = `git+${names.repository}@${commit.hash}`
  const show = (file: string) =>
    runProgram(['git', 'show', `${commit.hash}:${file}`], { cwd: commit.root, environment })
  const pins: object[] = []
  for (const file of PINS) {
    const sha256 = createHash('sha256')
      .update(await show(file))
      .digest('hex')
    pins.push({ uri: `${source}#${file}`, name: file, digest: { sha256 } })
  }
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: (await artefactsOf(out)).map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${names.site}/docs/operations/releases.md#how-to-make-a-release`,
        externalParameters: {
          command: `make release VERSION=${version}${hasImage ? '' : ' WITHOUT=image'}`,
          source,
        },
        internalParameters: {
          SOURCE_DATE_EPOCH: commit.epoch,
          node: process.versions.node,
          zlib: process.versions.zlib,
          ...(hasImage ? { compilers: await addonCompilers(releaseBuild) } : {}),
        },
        resolvedDependencies: [{ uri: source, digest: { gitCommit: commit.hash } }, ...pins],
      },
      runDetails: { builder: { id: `${names.repository}#Makefile` } },
    },
  }
  const file = `llm-gateway-${version}.provenance.json`
  writeFileSync(join(out, file), `${JSON.stringify(statement, undefined, 1)}\n`)
}
