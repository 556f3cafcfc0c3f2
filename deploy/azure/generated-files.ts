import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toArm } from './model/to-arm.ts'
import { toBicep } from './model/to-bicep.ts'
import { containerTemplate, fullTemplate } from './templates.ts'

export type GeneratedFile = { readonly path: string; readonly text: string }

/** Returns both templates in both languages; `path` is relative to the checkout. */
export function generatedFiles(root: string): readonly GeneratedFile[] {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const templates = [
    { name: 'main', template: fullTemplate(version) },
    { name: 'container', template: containerTemplate(version) },
  ]
  // Azure's versions have no pre-releases: `1.2.3-rc.4` becomes 1.2.3.0.
  const contentVersion = `${version.replace(/-.*$/, '')}.0`
  return templates.flatMap(({ name, template }) => [
    { path: `deploy/azure/${name}.bicep`, text: toBicep(template) },
    { path: `deploy/azure/${name}.json`, text: toArm(template, contentVersion) },
  ])
}
