import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { previousCheckout } from './previous-checkout.ts'

/** Files of the previous version, by their paths in a checkout. */
const KEPT = [
  'conf/*_config.json',
  'conf/*.conf',
  'conf/examples/**/*.json',
  'crds/manifests/*.yaml',
  'examples/kubernetes/*.yaml',
]
/** Values of the references in conf/examples/processors/gl_config.json, which an import leaves empty. */
const VALUES = { AISERVICE_API_BASE: 'https://llm.example', AISERVICE_API_KEY: 'real', GATEWAY_API_KEY: 'own' }

/**
 * Writes test/fixtures/previous: the previous version's shipped files, CRDs and examples; its
 * conf/examples/processors/gl_config.json as resources; its operator's output for these resources and for
 * examples/kubernetes. Returns the reason when that failed.
 */
export async function writeFixtures(root: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const checkout = await previousCheckout(root, environment)
  if (checkout.kind === 'unavailable') return checkout.reason
  const { folder, commit } = checkout
  const to = join(root, 'test/fixtures/previous')
  rmSync(to, { recursive: true, force: true })
  for (const path of globSync(KEPT, { cwd: folder })) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(folder, path), join(to, path))
  }
  writeFileSync(join(to, 'COMMIT'), `${commit}\n`)
  const operator = (args: readonly string[]) =>
    execFileSync(process.execPath, [join(folder, 'operator/src/main.ts'), ...args], { stdio: 'pipe', encoding: 'utf8' })
  const imported = join(to, 'imported')
  mkdirSync(imported)
  const resources = operator(['import', join(folder, 'conf/examples/processors/gl_config.json')])
  writeFileSync(join(imported, 'resources.yaml'), filled(resources))
  for (const name of ['examples/kubernetes', 'imported'])
    try {
      operator(['render', join(to, name), '--output', join(to, 'rendered', name)])
    } catch (error) {
      // Exit code 2: one imported Router calls the loopback address, which a cluster refuses.
      if (!(error instanceof Error && 'status' in error && error.status === 2)) throw error
    }
  return undefined
}

function filled(resources: string): string {
  return Object.entries(VALUES).reduce(
    (text, [name, value]) => text.replace(`${name}: ""`, `${name}: ${value}`),
    resources,
  )
}
