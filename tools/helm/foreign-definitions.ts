import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from '../cluster/execute.ts'
import versions from '../versions.json' with { type: 'json' }

/** Kinds of other projects of which the chart makes objects. */
const WANTED = ['podmonitors', 'prometheusrules', 'httproutes', 'certificates']
const DOWNLOAD_MS = 300_000

export type ForeignDefinitions =
  | { readonly kind: 'found'; readonly files: readonly string[] }
  | { readonly kind: 'missing'; readonly reason: string }

/**
 * Downloads the CRDs of prometheus-operator, the Gateway API and cert-manager as pinned Go modules; returns their
 * paths.
 */
export async function foreignDefinitions(environment: NodeJS.ProcessEnv): Promise<ForeignDefinitions> {
  const files: string[] = []
  for (const [module, { version, folder }] of Object.entries(versions.definitions)) {
    const argv = ['sh', '-c', 'cd "$1" && exec go mod download -json "$2"', 'sh', tmpdir(), `${module}@v${version}`]
    const { code, stdout, stderr } = await execute(argv, { environment, timeoutMs: DOWNLOAD_MS })
    if (code !== 0) return { kind: 'missing', reason: `${module}: ${stderr === '' ? stdout : stderr}` }
    const definitions = join(JSON.parse(stdout).Dir, folder)
    files.push(...readdirSync(definitions).map((file) => join(definitions, file)))
  }
  return { kind: 'found', files: files.filter(isWanted) }
}

function isWanted(file: string): boolean {
  return WANTED.some((plural) => readFileSync(file, 'utf8').includes(`    plural: ${plural}\n`))
}
