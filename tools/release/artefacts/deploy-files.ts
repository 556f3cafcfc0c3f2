import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderFiles } from '../../image/folder-files.ts'
import { tarball } from '../archive.ts'
import type { ReleaseBuild } from '../artefact.ts'
import { withNames } from '../source/write-names.ts'

/** Folders with files that people deploy unchanged. */
const FOLDERS = ['deploy/azure', 'deploy/compose', 'operator/deploy'] as const
const DEPLOYED = /\.(json|bicep|ya?ml|md)$/

/**
 * Writes `llm-gateway-deploy-<version>.tar.gz`: Azure's templates, Compose's files, and the operator's manifests, with
 * the release's image. The button "Deploy to Azure" opens its files unpacked on the site.
 */
export function packDeployFiles({ stage, out, version, epoch, names }: ReleaseBuild): void {
  const image = `${names.registry}/${names.image}:${version}`
  const files = FOLDERS.flatMap((folder) =>
    folderFiles(join(stage, folder))
      .filter((path) => DEPLOYED.test(path))
      .map((path) => `${folder}/${path}`),
  )
  const texts = files.map((path) => {
    const text = withNames(readFileSync(join(stage, path), 'utf8'), names)
    return [
      path,
      text.replaceAll(`llm-gateway:${version}`, (own, at: number) => (isBare(text, at) ? image : own)),
    ] as const
  })
  const licence = ['LICENSE', readFileSync(join(stage, 'LICENSE'), 'utf8')] as const
  const folder = `llm-gateway-deploy-${version}`
  writeFileSync(join(out, `${folder}.tar.gz`), tarball(folder, new Map([...texts, licence]), epoch))
}

/** Returns whether the image's name at this place has no registry before it. */
function isBare(text: string, at: number): boolean {
  return !/[\w./-]/.test(text.charAt(at - 1)) || text.startsWith(':-', at - 2)
}
