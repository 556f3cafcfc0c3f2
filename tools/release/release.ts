import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeBill } from './account/bill-of-materials.ts'
import { writeChecksums } from './account/checksums.ts'
import { writeLicences } from './account/licences.ts'
import { readMaterials } from './account/materials.ts'
import { writeProvenance } from './account/provenance.ts'
import type { ReleaseBuild } from './artefact.ts'
import { packCharts, writeDefinitions } from './artefacts/charts.ts'
import { packDeployFiles } from './artefacts/deploy-files.ts'
import { buildReleaseImage } from './artefacts/image.ts'
import { packNpm } from './npm/npm-package.ts'
import { packPython } from './python/python-package.ts'
import { readCommit } from './source/commit.ts'
import { readPublishing } from './source/publishing.ts'
import { stageCommit } from './source/stage.ts'

export type ReleaseOptions = {
  readonly root: string
  readonly version: string
  /** A new or empty folder. */
  readonly out: string
  readonly hasImage: boolean
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}

/**
 * Makes all files of a release of the checked-out commit. The same commit, version and pinned tools give the same
 * bytes.
 */
export async function makeRelease(options: ReleaseOptions): Promise<void> {
  const { root, version, out, say } = options
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`release: ${out} is not empty`)
  const commit = await readCommit(root, options.environment)
  if (commit.changed > 0) say(`release: ${commit.changed} changed files of the checkout are not in the release`)
  const environment = {
    ...options.environment,
    TZ: 'UTC',
    LC_ALL: 'C',
    SOURCE_DATE_EPOCH: String(commit.epoch),
  }
  const names = readPublishing(root)
  const scratch = mkdtempSync(join(tmpdir(), 'llm-gateway-release-'))
  try {
    const stage = join(scratch, 'stage')
    await stageCommit({ root, folder: stage, commit, version, names, environment })
    mkdirSync(out, { recursive: true })
    const releaseBuild: ReleaseBuild = { stage, scratch, out, version, epoch: commit.epoch, names, environment, say }
    await packCharts(releaseBuild)
    writeDefinitions(releaseBuild)
    await packNpm(releaseBuild)
    packPython(releaseBuild)
    packDeployFiles(releaseBuild)
    if (options.hasImage) await buildReleaseImage(releaseBuild)
    const materials = await readMaterials(releaseBuild, options.hasImage)
    writeLicences(releaseBuild, materials)
    writeBill(releaseBuild, materials)
    await writeProvenance(releaseBuild, { ...commit, root }, options.hasImage)
    await writeChecksums(out)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
