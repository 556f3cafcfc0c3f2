import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tarball } from '../archive.ts'
import type { ReleaseBuild } from '../artefact.ts'
import { compileSdk } from './compile-sdk.ts'
import { npmReadme } from './npm-readme.ts'

const PARTS = ['processors/sdk', 'processors/protocol', 'conf'] as const

type Manifest = { readonly description?: string; readonly dependencies: Readonly<Record<string, string>> }

/**
 * Writes the processor SDK as an npm package, `<scope>-sdk-<version>.tgz`: JavaScript with types, without our
 * workspaces.
 */
export async function packNpm(releaseBuild: ReleaseBuild): Promise<void> {
  const { stage, out, version, epoch, names } = releaseBuild
  const { files, doors } = await compileSdk(releaseBuild)
  const read = (path: string): string => readFileSync(join(stage, path), 'utf8')
  const dependencies = PARTS.flatMap((folder) => {
    const manifest: Manifest = JSON.parse(read(`${folder}/package.json`))
    return Object.entries(manifest.dependencies).filter(([name]) => !name.startsWith('@llm-gateway/'))
  })
  const exports = [...doors].map(
    ([door, path]) => [door, { types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` }] as const,
  )
  const manifest = {
    name: `${names.npmScope}/sdk`,
    version,
    description:
      'Write processors for llm-gateway: programs on its bus that add to, change or answer calls to LLM APIs.',
    license: JSON.parse(read('package.json')).license,
    homepage: names.site,
    repository: { type: 'git', url: names.repository },
    type: 'module',
    engines: JSON.parse(read('package.json')).engines,
    sideEffects: false,
    exports: Object.fromEntries(exports),
    dependencies: Object.fromEntries(dependencies.toSorted(([one], [other]) => (one < other ? -1 : 1))),
  }
  const content = new Map([
    ...files,
    ['package.json', `${JSON.stringify(manifest, undefined, 2)}\n`],
    ['README.md', npmReadme(read('processors/sdk/README.md'), names)],
    ['LICENSE', read('LICENSE')],
  ])
  const file = `${names.npmScope.replace('@', '')}-sdk-${version}.tgz`
  writeFileSync(join(out, file), tarball('package', content, epoch))
}
