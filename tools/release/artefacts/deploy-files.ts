import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderFiles } from '../../image/folder-files.ts'
import { tarball } from '../archive.ts'
import type { Workshop } from '../artefact.ts'
import { withNames } from '../source/write-names.ts'

/** Folders that people deploy from as they are. */
const FOLDERS = ['deploy/azure', 'deploy/compose', 'operator/deploy'] as const
const DEPLOYED = /\.(json|bicep|ya?ml|md)$/

/**
 * `llm-gateway-deploy-<version>.tar.gz`: templates for Azure, files of Compose, and manifests of the operator, which name the
 * release's image. Unpacked at the site it is what the button "Deploy to Azure" opens.
 */
export function packDeployFiles({ stage, out, version, epoch, names }: Workshop): void {
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

/** Whether the image's name that begins there has no registry before it. */
function isBare(text: string, at: number): boolean {
  return !/[\w./-]/.test(text.charAt(at - 1)) || text.startsWith(':-', at - 2)
}
